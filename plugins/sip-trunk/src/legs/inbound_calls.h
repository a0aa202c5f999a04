// InboundCalls: the calls from trunks: finds out whose they are and what takes them, and keeps their legs and
// the answerers. Main strand.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/service.h>
#include <patchbay/services/numbers.h>
#include <patchbay/services/telephony.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ladder/ladders.h"
#include "legs/answerer_search.h"
#include "legs/inbound_leg.h"
#include "metrics.h"
#include "read_settings.h"
#include "routes/inbound_decision.h"
#include "routes/route_table.h"
#include "stack/sip_stack.h"
#include "trunks/trunk_limits.h"
#include "trunks/trunk_names.h"

namespace patchbay::sip_trunk {

class InboundCalls {
 public:
  // All outlive this; the stack is set before the first call.
  InboundCalls(const Host& host, const Settings& settings, const TrunkNames& names, TrunkLimits& limits,
               RouteTable& routes, LegDirectory& directory, const Metrics& metrics);
  void set_stack(SipStack& stack) { stack_ = &stack; }

  Result<Empty> add_answerer(const telephony::AddAnswerer& request);
  // Asks this one after all others.
  void set_last_answerer(RegisteredAnswerer answerer) { last_answerer_ = std::move(answerer); }
  void on_call(DialogId dialog, InboundInvite invite);
  // Takes calls from here on; the routes are known. Earlier ones get 503.
  void open() { draining_ = false; }
  // Refuses further calls with 503.
  void drain() { draining_ = true; }

  size_t count() const noexcept { return legs_.size(); }
  // Keeps the messages of each call there, which outlives this.
  void keep_ladders(Ladders& ladders) { ladders_ = &ladders; }
  // Calls f() each time count() has changed.
  void on_count(Function<void()> f) { on_count_ = std::move(f); }

 private:
  // A call for which the tenant is searched, among those with a trunk at its source.
  struct Search {
    DialogId dialog = 0;
    InboundInvite invite;
    std::vector<TrunkKey> trunks;  // one of each tenant
    InboundCall numbers;
    size_t next = 0;
    // The best of those seen so far.
    size_t chosen = 0;
    int rank = -1;
    bool is_ambiguous = false;  // another tenant has the same claim
    InboundDecision decision;
    std::string number;  // the virtual number that answers
    bool is_disabled = false;
  };

  std::vector<TrunkKey> trunks_at(const lib::SocketAddress& source, const std::string& called_user) const;
  bool has_address(const TrunkAccess& trunk, const lib::SocketAddress& source) const;
  void look_at_next(std::shared_ptr<Search> search);
  void look_at(Search& search, const Result<numbers::Summary>& number);
  void begin(Search& search);
  void replace(DialogId dialog, const InboundInvite& invite);
  void refuse(DialogId dialog, const Refusal& refusal, const char* reason);
  std::vector<RegisteredAnswerer> answerers() const;
  void remove(int64_t id);

  // borrowed
  const Host& host_;
  const Settings& settings_;
  const TrunkNames& names_;
  TrunkLimits& limits_;
  RouteTable& routes_;
  LegDirectory& directory_;
  const Metrics& metrics_;
  SipStack* stack_ = nullptr;
  Ladders* ladders_ = nullptr;
  // owned
  struct Answerer {
    RegisteredAnswerer answerer;
    EndWatch ended;
  };
  const Log log_;
  Service<numbers::Numbers> numbers_;
  AnswererOffers offers_;
  std::map<std::string, Answerer> answerers_;  // by name
  std::optional<RegisteredAnswerer> last_answerer_;
  std::map<int64_t, std::unique_ptr<InboundLeg>> legs_;
  Function<void()> on_count_;
  // state
  int64_t last_id_ = 0;
  bool draining_ = true;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk

// OutboundCalls: the calls to numbers: chooses their trunks, reserves places there for calls that wait, and
// keeps their legs. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/services/telephony.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ladder/ladders.h"
#include "legs/leg_directory.h"
#include "legs/outbound_leg.h"
#include "metrics.h"
#include "read_settings.h"
#include "routes/route_table.h"
#include "stack/sip_stack.h"
#include "trunks/resolver.h"
#include "trunks/trunk_health.h"
#include "trunks/trunk_limits.h"

namespace patchbay::sip_trunk {

class OutboundCalls {
 public:
  // All outlive this; the stack is set before the first call. Far ends that transfer calls of the directory
  // dial like dial().
  OutboundCalls(const Host& host, const Settings& settings, RouteTable& routes, Resolver& resolver,
                TrunkLimits& limits, TrunkHealth& health, LegDirectory& directory, const Metrics& metrics,
                Ladders& ladders);
  void set_stack(SipStack& stack) { stack_ = &stack; }

  // Implement the methods of Telephony, except for the server that stops.
  Result<telephony::Dialled> dial(const telephony::Dial& request);
  Result<telephony::Reserved> reserve(const telephony::Reserve& request);
  void release(const telephony::Release& request) { limits_.cancel(request.call_id); }

  size_t count() const noexcept { return legs_.size(); }
  // Calls f() each time count() has changed.
  void on_count(Function<void()> f) { on_count_ = std::move(f); }

 private:
  void remove(int64_t id);
  TransferRoute route_of(const std::string& tenant, const std::string& number) const;

  // borrowed
  const Host& host_;
  const Settings& settings_;
  RouteTable& routes_;
  Resolver& resolver_;
  TrunkLimits& limits_;
  TrunkHealth& health_;
  LegDirectory& directory_;
  const Metrics& metrics_;
  Ladders& ladders_;
  SipStack* stack_ = nullptr;
  // owned
  std::map<int64_t, std::unique_ptr<OutboundLeg>> legs_;
  Function<void()> on_count_;
  // state
  int64_t last_id_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk

// OutboundLeg: one outbound call: asks the gates, tries the trunks in order, connects the audio, reports the
// end.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <memory>
#include <string>
#include <vector>

#include "legs/dial_gate_check.h"
#include "legs/leg_directory.h"
#include "legs/trunk_attempts.h"
#include "legs/trunk_leg.h"
#include "read_settings.h"
#include "stack/sip_stack.h"
#include "trunks/resolver.h"
#include "trunks/trunk_health.h"
#include "trunks/trunk_limits.h"

namespace patchbay::sip_trunk {

// Lives on the main strand. Destroy it only after on_closed().
class OutboundLeg final : public TrunkLeg {
 public:
  // Tries the trunks `trunk_ids` of `trunks`, in order. Calls on_closed() last, on the main strand. Construct
  // it in the method that dials, because the calling plugin owns the call, as its listener does.
  OutboundLeg(const Host& host, SipStack& stack, Resolver& resolver, TrunkLimits& limits, TrunkHealth& health,
              LegDirectory& directory, const ServerSettings& server, const TenantTrunks& trunks,
              std::vector<std::string> trunk_ids, telephony::Dial request, Function<void()> on_closed);

  // Also calls f(refused) on the main strand when a trunk is passed over because of its limit.
  void on_limited_for_metrics(Function<void(const TrunkRefusal&)> f) { limited_ = std::move(f); }
  // Asks the gates one by one, then dials.
  void start(std::vector<RegisteredGate> gates);
  void hangup();

 private:
  void on_owner_ended();
  void open_media();
  Result<std::string> offer(const TrunkAccess& trunk, const lib::SocketAddress& to);
  TrunkAttempts::Order order() const;
  TrunkAttempts::Callbacks callbacks();
  void report_answered(Handle port);
  void close(const telephony::Ended& ended);
  void close_with_stats(telephony::Ended result);

  void fail(const std::string& why) override;
  void on_dialog_progress(DialogId id, int status, bool is_early) override;
  void on_dialog_answered(DialogId id, const std::string& sdp, const std::string& peer_ip) override;
  void on_call_ended(const DialogEnd& ended) override;
  bool is_ending() const override { return hanging_up_ || closed_; }

  // borrowed
  TrunkLimits& limits_;
  // owned
  const telephony::Dial request_;
  Function<void()> on_closed_;
  Function<void(const TrunkRefusal&)> limited_;
  DialGateCheck gate_check_;
  TrunkAttempts attempts_;
  EndWatch listener_watch_;
  const Handle dialler_;  // the plugin
  EndWatch dialler_watch_;
  // state, main strand
  int64_t started_ns_ = 0;
  int64_t answered_ns_ = 0;
  bool hanging_up_ = false;
  bool closed_ = false;
  std::string no_media_;  // why this leg hung up: no media
};

}  // namespace patchbay::sip_trunk

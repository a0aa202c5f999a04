// LegTransfer: the leg method `transfer`: asks the dial gates, sends REFER, and replies with the outcome.
// Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <memory>
#include <optional>
#include <string>

#include "legs/dial_gate_check.h"
#include "legs/leg_directory.h"
#include "stack/sip_stack.h"

namespace patchbay::sip_trunk {

class LegTransfer {
 public:
  // All outlive this. `call_id` and `correlation`: for the gates.
  LegTransfer(const Host& host, SipStack& stack, LegDirectory& directory, const Log& log, bool require_gate,
              std::string call_id, std::string correlation);

  void provide(Provision<telephony::Leg>& service);
  // The call has been answered through this trunk.
  void open(Handle leg, AnsweredLeg data, const TrunkAccess& trunk);
  bool is_pending() const noexcept { return pending_.has_value(); }
  // Once the call has been answered.
  const AnsweredLeg& leg() const noexcept { return self_; }
  const TrunkAccess& trunk() const noexcept { return trunk_; }
  // Another far end has taken the call over. `number`: its number; "": not known.
  void move(DialogId dialog, const std::string& number);
  // It is behind this trunk.
  void set_trunk(const std::string& id, const TrunkAccess& trunk);
  // What the far end says of our REFER.
  void on_step(const ReferStep& step);
  // The call is over.
  void close();

 private:
  void start(const telephony::Transfer& request, Reply<telephony::Transferred> reply);
  void on_gates(const Status& allowed);
  void finish(Result<telephony::Transferred> result);

  // borrowed
  const Host& host_;
  SipStack& stack_;
  LegDirectory& directory_;
  const Log& log_;
  // owned
  const bool require_gate_;
  const std::string call_id_, correlation_;
  Timer timeout_;
  // state
  Handle leg_;  // 0: not answered, or over
  AnsweredLeg self_;
  TrunkAccess trunk_;
  std::optional<Reply<telephony::Transferred>> pending_;
  std::shared_ptr<DialGateCheck> gate_check_;  // shared with the task that deletes it
  std::string number_;                         // of the transfer that is under way
  Handle other_;                               // likewise; 0: blind
  bool is_accepted_ = false;                   // by the far end
  bool is_ringing_ = false;                    // its call, as it reports
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk

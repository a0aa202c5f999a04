// FarEndTransfer: carries a REFER of a call's far end out: asks the dial gates, and dials the target through
// the tenant's trunks with the audio of the call. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/log.h>

#include <memory>
#include <string>

#include "dialogs/refer_to.h"
#include "legs/dial_gate_check.h"
#include "legs/leg_dialog.h"
#include "legs/leg_directory.h"
#include "legs/leg_media.h"
#include "legs/trunk_attempts.h"
#include "stack/sip_stack.h"

namespace patchbay::sip_trunk {

class FarEndTransfer final : private LegDialog::Owner {
 public:
  // The target, which has answered and has the leg's audio.
  struct Reached {
    DialogId dialog = 0;
    std::unique_ptr<LegDialog> events;
    std::string number;
    std::string trunk_id;
    TrunkAccess trunk;
    TrunkPlace place;
  };
  struct Callbacks {
    // The far end that has asked for the transfer gets this status.
    Function<void(int status)> report;
    Function<void(Reached)> reached;
    Function<void()> failed;
    // A dialog that is being ended, whose end is still to come.
    Function<void(DialogId, std::unique_ptr<LegDialog>)> abandon;
  };
  // What is borrowed outlives this. `attempt`: makes the Call-IDs of the call's transfers differ.
  FarEndTransfer(const Host& host, SipStack& stack, LegDirectory& directory, const ServerSettings& server,
                 const Log& log, LegMedia& media, AnsweredLeg leg, uint32_t attempt, Callbacks callbacks);

  // Calls reached() or failed() once, unless it is cancelled. failed() may come within this.
  void start(const ReferTarget& target);
  void cancel();

 private:
  void on_gates(const Status& allowed);
  void dial();
  Result<std::string> offer(const TrunkAccess& trunk, const lib::SocketAddress& to);
  void fail(int status, const std::string& why);

  void on_dialog_progress(DialogId id, int status, bool is_early) override;
  void on_dialog_answered(DialogId id, const std::string& sdp, const std::string& peer_ip) override;
  void on_dialog_reanswer_failed(DialogId, const std::string&) override {}
  void on_dialog_digit(DialogId, char) override {}
  void on_dialog_reoffer_over(DialogId, const Status&) override {}
  void on_dialog_ended(DialogId id, const DialogEnd& ended) override;

  // borrowed
  const Host& host_;
  SipStack& stack_;
  LegDirectory& directory_;
  const ServerSettings& server_;
  const Log& log_;
  LegMedia& media_;
  // owned
  const AnsweredLeg leg_;
  const uint32_t attempt_;
  const Callbacks callbacks_;
  DialGateCheck check_;
  std::unique_ptr<TrunkAttempts> attempts_;
  std::unique_ptr<LegDialog> events_;
  std::shared_ptr<MediaSetup> negotiation_;  // shared with events_
  // state
  ReferTarget target_;
  DialogId dialog_ = 0;
  bool is_over_ = false;
};

}  // namespace patchbay::sip_trunk

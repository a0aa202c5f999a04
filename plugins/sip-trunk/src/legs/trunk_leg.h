// TrunkLeg: a call through a trunk, in which another far end may take the place of the first one: the owner
// keeps its leg and its audio port, which then belong to another dialog. Main strand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calls/live_calls.h"
#include "legs/call_leg.h"
#include "legs/far_end_transfer.h"
#include "legs/leg_directory.h"
#include "legs/leg_transfer.h"

namespace patchbay::sip_trunk {

class TrunkLeg : public CallLeg, private ReplaceableLeg {
 protected:
  // `live`: the call in the list of all, with its id. The directory outlives this.
  TrunkLeg(const Host& host, SipStack& stack, LegDirectory& directory, const ServerSettings& server, Log log,
           Handle listener, const std::string& correlation, CallInfo live);

  // The call has been answered through this trunk, and its media negotiated.
  void open_answered(AnsweredLeg data, const TrunkAccess& trunk);
  // The owner, or a failure, is ending the call.
  virtual bool is_ending() const = 0;
  // The dialog has ended, or the attempt at a trunk.
  virtual void on_call_ended(const DialogEnd& ended) = 0;
  // Ends the dialog, or the wait for the target of a far end that has left; on_call_ended() follows.
  void hang_up_dialog();
  // Reports the end to the owner, and calls done() when neither the media nor a dialog uses this leg any
  // more.
  void close_leg(const telephony::Ended& ended, Function<void()> done);

  void on_dialog_reanswer_failed(DialogId id, const std::string& why) override;
  void on_dialog_refer_step(DialogId id, const ReferStep& step) override;
  void on_dialog_far_refer(DialogId id, const ReferTarget& target) override;
  void on_dialog_ended(DialogId id, const DialogEnd& ended) final;

  LegDirectory& directory_;  // borrowed
  LiveCall live_;
  LegTransfer transfer_;
  TrunkPlace place_;            // at the trunk of the dialog
  bool is_late_offer_ = false;  // the ACK brings the answer to our first offer

 private:
  // A dialog that is no longer the leg's, whose end has not come yet.
  struct Former {
    DialogId id = 0;
    std::unique_ptr<LegDialog> events;
  };
  void replace_by(DialogId next, const InboundInvite& invite) override;
  void adopt(DialogId next, std::unique_ptr<LegDialog> events, const std::string& number,
             int64_t bye_after_ms);

  void on_target_reached(FarEndTransfer::Reached target);
  void on_transfer_failed();
  void end_transfer();

  std::vector<Former> former_;
  std::shared_ptr<FarEndTransfer> far_transfer_;  // shared with the task that deletes it
  uint32_t transfers_ = 0;                        // of the far end, so far
  std::optional<DialogEnd> referrer_end_;         // the far end has left before the target was reached
  Function<void()> on_last_ended_;
};

}  // namespace patchbay::sip_trunk

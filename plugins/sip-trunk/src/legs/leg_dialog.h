// LegDialog: listens to one dialog of a leg. Applies SDP on the SIP thread, because its answer cannot wait,
// and passes every other event to the leg on the main strand.
#pragma once

#include <patchbay/host.h>
#include <patchbay/lifetime.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "legs/media_setup.h"
#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

// Destroy it only after on_dialog_ended(), or before it is given to the stack.
class LegDialog final : public DialogListener {
 public:
  // The leg. Main strand; the functions are those of DialogListener.
  class Owner {
   public:
    // `is_early`: it has SDP.
    virtual void on_dialog_progress(DialogId, int /*status*/, bool /*is_early*/) {}
    virtual void on_dialog_answered(DialogId, const std::string& /*sdp*/, const std::string& /*peer_ip*/) {}
    // The answer to our offer has no usable media.
    virtual void on_dialog_reanswer_failed(DialogId id, const std::string& why) = 0;
    virtual void on_dialog_digit(DialogId id, char digit) = 0;
    // The answer to our re-INVITE is applied, or could not be.
    virtual void on_dialog_reoffer_over(DialogId id, const Status& applied) = 0;
    virtual void on_dialog_refer_step(DialogId, const ReferStep&) {}
    virtual void on_dialog_far_refer(DialogId, const ReferTarget&) {}
    virtual void on_dialog_ended(DialogId id, const DialogEnd& ended) = 0;

   protected:
    ~Owner() = default;
  };

  // Both outlive this.
  LegDialog(const Host& host, Owner& owner) : host_(host), owner_(&owner) {}
  // Another one has the dialog from here on.
  void set_owner(Owner& owner) { owner_ = &owner; }

  // The negotiation of this dialog's media. Call it before anything is offered or answered.
  void use(std::shared_ptr<MediaSetup> media) { media_ = std::move(media); }

 private:
  void on_progress(DialogId id, int status, std::string_view sdp, std::string_view peer_ip) override;
  void on_answered(DialogId id, std::string_view sdp, std::string_view peer_ip) override;
  std::string on_reoffer(DialogId id, std::string_view sdp) override;
  void on_reanswer(DialogId id, std::string_view sdp) override;
  void on_info_digit(DialogId id, char digit) override;
  void on_reoffer_answered(DialogId id, int status, std::string_view sdp) override;
  void on_refer(DialogId id, const ReferStep& step) override;
  void on_far_refer(DialogId id, const ReferTarget& target) override;
  void on_ended(DialogId id, const DialogEnd& ended) override;

  // borrowed
  const Host& host_;
  Owner* owner_;
  // owned
  std::shared_ptr<MediaSetup> media_;  // shared with the leg's media
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk

// CallLeg: what the legs of all calls have in common: the dialog with its media, the leg methods of an
// answered call, and what the far end does in it. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <memory>
#include <string>
#include <utility>

#include "legs/leg_control.h"
#include "legs/leg_dialog.h"
#include "legs/leg_media.h"
#include "read_settings.h"
#include "stack/sip_stack.h"

namespace patchbay::sip_trunk {

class CallLeg : protected LegDialog::Owner {
 public:
  CallLeg(const CallLeg&) = delete;
  CallLeg& operator=(const CallLeg&) = delete;
  virtual ~CallLeg() = default;

  // Also calls f(ended) on the main strand when the call has ended.
  void on_ended_for_metrics(Function<void(const telephony::Ended&)> f) { metrics_ = std::move(f); }
  // 0: the call is over.
  Handle handle() { return service_ ? service_->handle() : Handle(); }

 protected:
  // `listener`: 0 if it is set later.
  CallLeg(const Host& host, SipStack& stack, const ServerSettings& server, Log log, Handle listener);

  // Provides the leg anew, with the methods of an answered call; earlier handles do not work any more.
  void make_service();
  // Ends the call as failed, for this reason.
  virtual void fail(const std::string& why) = 0;
  // Opens the sockets, and the negotiation of the dialog. Error: no port is free.
  Status open_sockets();

  void on_dialog_reanswer_failed(DialogId id, const std::string& why) override;
  void on_dialog_digit(DialogId id, char digit) override;
  void on_dialog_reoffer_over(DialogId id, const Status& applied) override;

  // borrowed
  const Host& host_;
  SipStack& stack_;
  // owned
  const ServerSettings server_;
  const Log log_;
  Function<void(const telephony::Ended&)> metrics_;
  std::unique_ptr<Provision<telephony::Leg>> service_;
  Lease<telephony::LegListener> listener_;
  LegMedia media_;
  LegControl control_;
  std::unique_ptr<LegDialog> events_;  // of dialog_
  // state
  DialogId dialog_ = 0;  // 0: none
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk

#include "legs/call_leg.h"

namespace patchbay::sip_trunk {

using telephony::LegListener;

CallLeg::CallLeg(const Host& host, SipStack& stack, const ServerSettings& server, Log log, Handle listener)
    : host_(host),
      stack_(stack),
      server_(server),
      log_(std::move(log)),
      listener_(listener ? Lease<LegListener>::open(host, listener) : Lease<LegListener>()),
      media_(
          host, server_, [this](char digit) { listener_.send(LegListener::digit, {std::string(1, digit)}); },
          [this](const std::string& why) { fail(why); }),
      control_(stack, media_, log_),
      events_(std::make_unique<LegDialog>(host, static_cast<LegDialog::Owner&>(*this))) {
  make_service();
}

void CallLeg::make_service() {
  service_ = std::make_unique<Provision<telephony::Leg>>(host_);
  control_.provide(*service_);
}

Status CallLeg::open_sockets() {
  PB_TRY(media_.open());
  events_->use(media_.shared_negotiation());
  return {};
}

void CallLeg::on_dialog_reanswer_failed(DialogId, const std::string& why) {
  log_.warn("the answer to our offer has no usable media", {{"why", why}});
}

void CallLeg::on_dialog_digit(DialogId id, char digit) {
  if (id == dialog_) media_.add_info_digit(digit);
}

void CallLeg::on_dialog_reoffer_over(DialogId id, const Status& applied) {
  if (id == dialog_) control_.on_reoffer_answered(applied);
}

}  // namespace patchbay::sip_trunk

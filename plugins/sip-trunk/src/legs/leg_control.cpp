#include "legs/leg_control.h"

#include <utility>

namespace patchbay::sip_trunk {
namespace {

constexpr size_t kMaxDigits = 32;  // of one request

}  // namespace

void LegControl::provide(Provision<telephony::Leg>& service) {
  service
      .on(telephony::Leg::hold,
          [this](const telephony::Hold& request, Reply<Empty> reply) { hold(request, std::move(reply)); })
      .on(telephony::Leg::send_digits,
          [this](const telephony::Digits& request) { return send_digits(request); });
}

void LegControl::refuse_answers(Provision<telephony::Leg>& service) {
  const auto refuse = [](const auto&) -> Result<Empty> {
    return {Code::conflict, "the call does not come in, it is dialled"};
  };
  service.on(telephony::Leg::answer, refuse)
      .on(telephony::Leg::ring, refuse)
      .on(telephony::Leg::reject, refuse);
}

void LegControl::hold(const telephony::Hold& request, Reply<Empty> reply) {
  if (dialog_ == 0) return reply(Error{Code::conflict, "the call is not answered"});
  if (pending_) return reply(Error{Code::conflict, "another hold or resume is under way"});
  wants_held_ = request.held;
  pending_ = std::move(reply);
  stack_.reoffer(dialog_, media_.negotiation().reoffer(request.held));
}

void LegControl::on_reoffer_answered(const Status& accepted) {
  if (!pending_) return;
  log_.info(wants_held_ ? "the far end is held" : "the far end is resumed",
            {{"accepted", accepted.ok()}, {"why", accepted ? std::string() : accepted.error().text}});
  Reply<Empty> reply = *std::exchange(pending_, std::nullopt);
  reply(accepted ? Result<Empty>(Empty{}) : Result<Empty>(accepted.error()));
}

Result<Empty> LegControl::send_digits(const telephony::Digits& request) {
  if (dialog_ == 0) return {Code::conflict, "the call is not answered"};
  if (request.digits.empty() || request.digits.size() > kMaxDigits)
    return {Code::invalid, "digits must be 1 to 32 of 0123456789*#ABCD and commas, such as \"12#\""};
  PB_TRY(media_.send_digits(request.digits));
  return Empty{};
}

void LegControl::move(DialogId dialog) {
  dialog_ = dialog;
  if (!pending_) return;
  Reply<Empty> reply = *std::exchange(pending_, std::nullopt);
  reply(Error{Code::conflict, "another far end has taken the call over"});
}

void LegControl::close() {
  dialog_ = 0;
  if (pending_) pending_->fail({Code::gone, "the call has ended"});
  pending_.reset();
}

}  // namespace patchbay::sip_trunk

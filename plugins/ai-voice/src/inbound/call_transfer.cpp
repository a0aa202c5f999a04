#include "inbound/call_transfer.h"

#include <utility>

namespace patchbay::ai_voice {

using telephony::LegListener;

CallTransfer::CallTransfer(const Host& host, StrandId strand, Events events)
    : host_(host),
      strand_(strand),
      events_(std::move(events)),
      listener_(host, strand),
      telephony_(Lease<telephony::Telephony>::query(host, strand)) {
  listener_.on(LegListener::progress, [](const telephony::Progress&) -> Result<Empty> { return Empty{}; })
      .on(LegListener::digit,
          [this](const telephony::Digit& digit) -> Result<Empty> {
            if (answered_ && !over_) events_.on_digit(digit.digit);
            return Empty{};
          })
      .on(LegListener::answered,
          [this](const telephony::Answered& answered) -> Result<Empty> {
            if (over_ || !answered.port) return Empty{};  // without audio it ends as failed
            answered_ = true;
            events_.on_answered(answered.port, answered.trunk_id);
            return Empty{};
          })
      .on(LegListener::ended, [this](const telephony::Ended& ended) -> Result<Empty> {
        if (!answered_) {
          fail(ended.detail.empty() ? ended.cause : ended.detail);
        } else if (!std::exchange(over_, true)) {
          events_.on_ended();
        }
        return Empty{};
      });
}

void CallTransfer::start(telephony::Dial request) {
  request.listener = listener_.handle();
  telephony_.call(telephony::Telephony::dial, request,
                  [this](const Result<telephony::Dialled>& dialled) { on_dialled(dialled); });
}

void CallTransfer::start(telephony::DialUser request) {
  request.listener = listener_.handle();
  telephony_.call(telephony::Telephony::dial_user, request,
                  [this](const Result<telephony::Dialled>& dialled) { on_dialled(dialled); });
}

void CallTransfer::on_dialled(const Result<telephony::Dialled>& dialled) {
  if (!dialled) return fail(dialled.error().text);
  leg_ = Lease<telephony::Leg>::open(host_, dialled->leg, strand_);
}

void CallTransfer::fail(const std::string& reason) {
  if (!std::exchange(over_, true)) events_.on_failed(reason);
}

}  // namespace patchbay::ai_voice

#include "inbound/number_transfer.h"

#include <utility>

namespace patchbay::ai_voice {

using telephony::Leg;
using telephony::LegListener;

NumberTransfer::NumberTransfer(const Host& host, StrandId strand, Handle leg, Events events)
    : host_(host),
      strand_(strand),
      events_(std::move(events)),
      service_(host, strand),
      leg_(Lease<Leg>::open(host, leg, strand)) {
  const auto forward = [this](auto method) {
    return [this, method](const auto& request, auto reply) {
      using Reply = typename decltype(method)::Reply;
      if (!is_connected_) return reply(Error{Code::conflict, "the call is not answered"});
      leg_.call(method, request,
                [reply = std::move(reply)](const Result<Reply>& done) mutable { reply(done); });
    };
  };
  service_.on(Leg::ring, [](const telephony::Ring&) -> Result<Empty> { return Empty{}; })
      .on(Leg::answer,
          [this](const Empty&) -> Result<Empty> {
            on_ready();
            return Empty{};
          })
      .on(Leg::reject,
          [this](const telephony::Reject& why) -> Result<Empty> {
            on_hangup(why.reason);
            return Empty{};
          })
      .on(Leg::hangup,
          [this](const telephony::Hangup& why) -> Result<Empty> {
            on_hangup(why.reason);
            return Empty{};
          })
      .on(Leg::hold, forward(Leg::hold))
      .on(Leg::send_digits, forward(Leg::send_digits))
      .on(Leg::transfer, forward(Leg::transfer));
}

NumberTransfer::~NumberTransfer() {
  telephony::Ended ended;
  ended.cause = "far";
  report_end(std::move(ended));
}

void NumberTransfer::start(Handle answerer, telephony::Offer call) {
  call.leg = service_.handle();
  answerer_ = Lease<telephony::Answerer>::open(host_, answerer, strand_);
  answerer_.call(telephony::Answerer::offer, call,
                 [this](const Result<telephony::Taken>& taken) { on_taken(taken); });
}

void NumberTransfer::on_taken(const Result<telephony::Taken>& taken) {
  if (is_over_) return;
  if (!taken) return fail(taken.error().text);
  if (taken->listener) {
    listener_ = Lease<LegListener>::open(host_, taken->listener, strand_);
    if (is_ready_) events_.on_ready();
    return;
  }
  if (taken->sip_status != 0) return fail(taken->reason);
  is_over_ = true;
  events_.on_declined();
}

void NumberTransfer::on_ready() {
  if (is_over_ || std::exchange(is_ready_, true)) return;
  if (listener_) events_.on_ready();
}

void NumberTransfer::on_hangup(const std::string& reason) {
  if (!is_connected_) fail("the AI of the number is not available: " + reason);
  telephony::Ended ended;
  ended.cause = "local";
  report_end(std::move(ended));
  if (is_connected_ && !std::exchange(is_over_, true)) events_.on_ended();
}

void NumberTransfer::fail(const std::string& reason) {
  if (!std::exchange(is_over_, true)) events_.on_failed(reason);
}

void NumberTransfer::connect(const telephony::Answered& answered) {
  if (is_ended_ || std::exchange(is_connected_, true)) return;
  listener_.send(LegListener::answered, answered);
}

void NumberTransfer::digit(const std::string& digit) {
  if (is_connected_ && !is_ended_) listener_.send(LegListener::digit, {digit});
}

void NumberTransfer::ended(const telephony::Ended& ended) { report_end(ended); }

void NumberTransfer::report_end(telephony::Ended ended) {
  if (!listener_ || std::exchange(is_ended_, true)) return;
  ended.answered = is_connected_;
  listener_.send(LegListener::ended, ended);
}

}  // namespace patchbay::ai_voice

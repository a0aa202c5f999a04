#include "users/inbound_user_call.h"

#include <patchbay/strand.h>

#include <utility>

namespace patchbay::sip_trunk {

using telephony::Leg;
using telephony::LegListener;

namespace {

constexpr int64_t kUnreachable = 480;

// The status that the caller gets when no contact has answered.
int64_t refusal_of(const telephony::Ended& ended) {
  return ended.sip_status == 486 || ended.sip_status / 100 == 6 ? ended.sip_status : kUnreachable;
}

}  // namespace

InboundUserCall::InboundUserCall(const Host& host, telephony::Offer offer, int64_t ring_timeout_ms,
                                 DialFunction dial, Function<void()> on_closed)
    : host_(host),
      offer_(std::move(offer)),
      ring_timeout_ms_(ring_timeout_ms),
      log_(Log(host).with(offer_.call_id)),
      dial_(std::move(dial)),
      on_closed_(std::move(on_closed)),
      caller_listener_(host),
      user_listener_(host),
      caller_(Lease<Leg>::open(host, offer_.leg)),
      audio_(Lease<audio::Audio>::query(host)) {
  listen_to_caller();
  listen_to_user();
}

void InboundUserCall::listen_to_caller() {
  caller_listener_
      .on(LegListener::progress, [](const telephony::Progress&) -> Result<Empty> { return Empty{}; })
      .on(LegListener::answered,
          [this](const telephony::Answered& answered) -> Result<Empty> {
            on_caller_answered(answered.port);
            return Empty{};
          })
      .on(LegListener::digit,
          [this](const telephony::Digit& digit) -> Result<Empty> {
            if (user_port_ && user_) user_.send(Leg::send_digits, {digit.digit});
            return Empty{};
          })
      .on(LegListener::ended, [this](const telephony::Ended&) -> Result<Empty> {
        on_caller_ended();
        return Empty{};
      });
}

void InboundUserCall::listen_to_user() {
  user_listener_
      .on(LegListener::progress,
          [this](const telephony::Progress&) -> Result<Empty> {
            caller_.send(Leg::ring, {});
            return Empty{};
          })
      .on(LegListener::answered,
          [this](const telephony::Answered& answered) -> Result<Empty> {
            on_user_answered(answered.port);
            return Empty{};
          })
      .on(LegListener::digit,
          [this](const telephony::Digit& digit) -> Result<Empty> {
            caller_.send(Leg::send_digits, {digit.digit});
            return Empty{};
          })
      .on(LegListener::ended, [this](const telephony::Ended& ended) -> Result<Empty> {
        on_user_ended(ended);
        return Empty{};
      });
}

void InboundUserCall::start() {
  if (caller_over_) return;
  telephony::DialUser request;
  request.call_id = offer_.call_id;
  request.tenant = offer_.tenant;
  request.user = offer_.user;
  request.from_number = offer_.from_number;
  request.display_name = offer_.display_name;
  request.ring_timeout_ms = ring_timeout_ms_;
  request.listener = user_listener_.handle();
  request.correlation = offer_.call_id;
  const auto dialled = dial_(request);
  if (dialled) {
    user_ = Lease<Leg>::open(host_, dialled->leg);
    return;
  }
  log_.warn("the user cannot be rung", {{"user", offer_.user}, {"why", dialled.error().text}});
  user_over_ = true;
  caller_.send(Leg::reject, {kUnreachable, ""});
}

void InboundUserCall::on_user_answered(Handle port) {
  user_port_ = port;
  caller_.call(Leg::answer, {}, [this](const Result<Empty>& answered) {
    if (answered) return;
    log_.warn("the call cannot be answered", {{"why", answered.error().text}});
    user_.send(Leg::hangup, {"the caller's side cannot be answered"});
  });
}

void InboundUserCall::on_caller_answered(Handle port) {
  audio_.call(audio::Audio::join, {port, user_port_, offer_.call_id},
              [this](const Result<audio::Joined>& joined) {
                if (joined) {
                  join_ = joined->join;
                  if (user_over_ || caller_over_) leave();
                  return;
                }
                log_.warn("the audio cannot be joined", {{"why", joined.error().text}});
                caller_.send(Leg::hangup, {"the audio cannot be joined"});
              });
}

void InboundUserCall::leave() {
  if (join_ != 0) audio_.send(audio::Audio::leave, {std::exchange(join_, 0)});
}

void InboundUserCall::on_user_ended(const telephony::Ended& ended) {
  user_over_ = true;
  leave();
  if (ended.answered || user_port_) {
    caller_.send(Leg::hangup, {"the user has hung up"});
  } else {
    caller_.send(Leg::reject, {refusal_of(ended), ""});
  }
  close_when_over();
}

void InboundUserCall::on_caller_ended() {
  caller_over_ = true;
  leave();
  if (!user_) user_over_ = true;
  if (!user_over_) user_.send(Leg::hangup, {"the caller has hung up"});
  close_when_over();
}

void InboundUserCall::close_when_over() {
  if (!user_over_ || !caller_over_) return;
  post(host_, kMainStrand, alive_.bind([this] {
    const Function<void()> on_closed = std::move(on_closed_);
    on_closed();
  }));
}

}  // namespace patchbay::sip_trunk

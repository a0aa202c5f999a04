#include "registrar/contact_leg.h"

#include <algorithm>
#include <utility>

#include "legs/hangup_cause.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

using telephony::LegListener;

namespace {

// RFC 3326: the telephone then lists no missed call.
constexpr char kElsewhere[] = "SIP;cause=200;text=\"Call completed elsewhere\"";

}  // namespace

ContactLeg::ContactLeg(const Host& host, SipStack& stack, const ServerSettings& server, TrunkAccess access,
                       Target target, telephony::RingContact request, Handle caller,
                       Function<void(bool unreachable)> on_closed)
    : CallLeg(host, stack, server, Log(host).with(request.correlation), request.listener),
      access_(std::move(access)),
      target_(std::move(target)),
      request_(std::move(request)),
      on_closed_(std::move(on_closed)),
      listener_watch_(host, request_.listener, [this] { on_owner_ended(); }),
      caller_watch_(host, caller, [this] { on_owner_ended(); }) {
  service_->on(telephony::Leg::hangup, [this](const telephony::Hangup& why) -> Result<Empty> {
    log_.info("hanging up", {{"reason", why.reason}});
    hangup(why.answered_elsewhere ? kElsewhere : "");
    return Empty{};
  });
  service_->on(telephony::Leg::transfer, [](const telephony::Transfer&) -> Result<telephony::Transferred> {
    return {Code::unsupported, "a user's telephone does not transfer calls for us"};
  });
  LegControl::refuse_answers(*service_);
}

void ContactLeg::start() {
  started_ns_ = host_.mono_ns();
  Status ready = open_sockets();
  if (ready) ready = media_.use_security(access_, log_);
  if (!ready) return close(ended_as("failed", "no media: " + ready.error().text));
  OutboundCall call;
  call.trunk = access_;
  call.trunk.host = target_.address.ip_text();
  call.trunk.transport = target_.transport;
  call.contact = ContactTarget{target_.uri, request_.user, request_.from_number};
  call.tenant = request_.tenant;
  call.trunk_id = contact_trunk_id(request_.user);
  call.targets.emplace_back(target_.address);
  call.display_name = request_.display_name;
  call.call_id = request_.call_id;
  call.attempt = static_cast<uint32_t>(request_.fork);
  call.no_answer_timeout_ms = static_cast<uint32_t>(std::max(kMinRingMs, request_.ring_timeout_ms));
  call.offer = media_.negotiation().offer(target_.address, access_.media);
  log_.info("ringing a telephone", {{"user", request_.user},
                                    {"address", target_.address.text()},
                                    {"transport", name_of(target_.transport)}});
  const auto dialog = stack_.dial(std::move(call), *events_);
  if (!dialog) return close(ended_as("failed", dialog.error().text));
  dialog_ = *dialog;
}

void ContactLeg::hangup(const std::string& cancel_reason) {
  if (closed_ || std::exchange(hanging_up_, true)) return;
  media_.stop_watch();
  if (dialog_ != 0) return stack_.hangup(dialog_, cancel_reason);
  close(ended_as("local", ""));
}

void ContactLeg::on_owner_ended() {
  log_.warn("hanging up, because the owner of the call has ended");
  hangup();
}

void ContactLeg::fail(const std::string& why) {
  failure_ = why;
  hangup();
}

void ContactLeg::on_dialog_progress(DialogId, int status, bool) {
  if (!closed_) listener_.send(LegListener::progress, {status, {}, false, {}});
}

void ContactLeg::on_dialog_answered(DialogId, const std::string& sdp, const std::string& peer_ip) {
  if (closed_) return;
  const Status applied = media_.negotiation().apply_first_answer(sdp, peer_ip);
  const Handle port = applied ? media_.open_port() : Handle();
  is_answered_ = true;
  listener_.send(LegListener::answered, {{}, (host_.mono_ns() - started_ns_) / 1'000'000, port});
  if (!port) {
    failure_ = "the answer carried no usable media" + (applied ? "" : ": " + applied.error().text);
    return hangup();
  }
  media_.watch_silence();
  control_.open(dialog_);
}

void ContactLeg::on_dialog_ended(DialogId, const DialogEnd& ended) {
  const bool is_lost = ended.reason == EndReason::silence || ended.reason == EndReason::transport;
  unreachable_ = is_lost && !is_answered_;
  telephony::Ended result = hangup_cause(ended);
  if (unreachable_) result.detail = "the telephone does not answer";
  if (ended.reason == EndReason::no_answer) result.sip_status = 480;
  if (!failure_.empty()) {
    result.cause = "failed";
    result.detail = failure_;
  }
  result.answered = is_answered_;
  close(std::move(result));
}

void ContactLeg::close(telephony::Ended ended) {
  if (std::exchange(closed_, true)) return;
  media_.stop_watch();
  listener_watch_ = EndWatch();
  caller_watch_ = EndWatch();
  media_.add_statistics(ended, log_);
  log_.info("the call to a telephone has ended",
            {{"cause", ended.cause}, {"sip", ended.sip_status}, {"detail", ended.detail}});
  if (metrics_) metrics_(ended);
  listener_.send(LegListener::ended, ended);
  control_.close();
  service_.reset();
  media_.close(alive_.bind([this] {
    const auto on_closed = std::move(on_closed_);
    on_closed(unreachable_);
  }));
}

}  // namespace patchbay::sip_trunk

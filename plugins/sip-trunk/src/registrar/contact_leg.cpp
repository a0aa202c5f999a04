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
    : host_(host),
      stack_(stack),
      server_(server),
      access_(std::move(access)),
      target_(std::move(target)),
      request_(std::move(request)),
      log_(Log(host).with(request_.correlation)),
      on_closed_(std::move(on_closed)),
      service_(host),
      listener_(Lease<LegListener>::open(host, request_.listener)),
      media_(
          host, server_, [this](char digit) { listener_.send(LegListener::digit, {std::string(1, digit)}); },
          [this](const std::string& why) {
            failure_ = why;
            hangup();
          }),
      control_(stack, media_, log_),
      listener_watch_(host, request_.listener, [this] { on_owner_ended(); }),
      caller_watch_(host, caller, [this] { on_owner_ended(); }) {
  service_.on(telephony::Leg::hangup, [this](const telephony::Hangup& why) -> Result<Empty> {
    log_.info("hanging up", {{"reason", why.reason}});
    hangup(why.answered_elsewhere ? kElsewhere : "");
    return Empty{};
  });
  service_.on(telephony::Leg::transfer, [](const telephony::Transfer&) -> Result<telephony::Transferred> {
    return {Code::unsupported, "a user's telephone does not transfer calls for us"};
  });
  control_.provide(service_);
  LegControl::refuse_answers(service_);
}

void ContactLeg::start() {
  started_ns_ = host_.mono_ns();
  Status ready = media_.open();
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
  const auto dialog = stack_.dial(std::move(call), *this);
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

void ContactLeg::on_progress(DialogId, int status, std::string_view, std::string_view) {
  post(host_, kMainStrand, alive_.bind([this, status] {
    if (!closed_) listener_.send(LegListener::progress, {status, {}, false, {}});
  }));
}

void ContactLeg::on_answered(DialogId, std::string_view sdp, std::string_view peer_ip) {
  media_.negotiation().keep_first_answer(sdp, peer_ip);
  post(host_, kMainStrand, alive_.bind([this, sdp = std::string(sdp), peer = std::string(peer_ip)] {
    if (!closed_) on_dialog_answered(sdp, peer);
  }));
}

void ContactLeg::on_dialog_answered(const std::string& sdp, const std::string& peer_ip) {
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

std::string ContactLeg::on_reoffer(DialogId, std::string_view sdp) {
  auto answer = media_.negotiation().answer(sdp);
  return answer ? *std::move(answer) : std::string();
}

void ContactLeg::on_reanswer(DialogId, std::string_view sdp) {
  const Status applied = media_.negotiation().apply_answer(sdp);
  if (!applied) log_.warn("the new answer has no usable media", {{"why", applied.error().text}});
}

void ContactLeg::on_info_digit(DialogId, char digit) {
  post(host_, kMainStrand, alive_.bind([this, digit] { media_.add_info_digit(digit); }));
}

void ContactLeg::on_reoffer_answered(DialogId, int status, std::string_view sdp) {
  post(host_, kMainStrand, alive_.bind([this, done = media_.negotiation().reoffer_answered(status, sdp)] {
    control_.on_reoffer_answered(done);
  }));
}

void ContactLeg::on_ended(DialogId, const DialogEnd& ended) {
  post(host_, kMainStrand, alive_.bind([this, ended] { on_dialog_ended(ended); }));
}

void ContactLeg::on_dialog_ended(const DialogEnd& ended) {
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
  service_.withdraw();
  media_.close(alive_.bind([this] {
    const auto on_closed = std::move(on_closed_);
    on_closed(unreachable_);
  }));
}

}  // namespace patchbay::sip_trunk

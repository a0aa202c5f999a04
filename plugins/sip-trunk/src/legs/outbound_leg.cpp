#include "legs/outbound_leg.h"

#include <algorithm>
#include <utility>

#include "legs/hangup_cause.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

using telephony::LegListener;

OutboundLeg::OutboundLeg(const Host& host, SipStack& stack, Resolver& resolver, TrunkLimits& limits,
                         TrunkHealth& health, LegDirectory& directory, const ServerSettings& server,
                         const TenantTrunks& trunks, std::vector<std::string> trunk_ids,
                         telephony::Dial request, Function<void()> on_closed)
    : TrunkLeg(host, stack, directory, server, Log(host).with(request.correlation), request.listener,
               request.correlation,
               {request.call_id, request.tenant, "outbound", request.number, "", "dialling", "",
                host.wall_ms(), nullptr, 0}),
      limits_(limits),
      request_(std::move(request)),
      on_closed_(std::move(on_closed)),
      gate_check_(host, log_,
                  [this](const Status& allowed) {
                    if (allowed) return open_media();
                    close(ended_as("denied", allowed.error().text));
                  }),
      attempts_(host, stack, {resolver, limits, health}, server_, log_, trunks.trunks, std::move(trunk_ids),
                order(), *events_, callbacks()),
      listener_watch_(host, request_.listener, [this] { on_owner_ended(); }),
      dialler_(calling_plugin(host)),
      dialler_watch_(host, dialler_, [this] { on_owner_ended(); }) {
  service_->on(telephony::Leg::hangup, [this](const telephony::Hangup& why) -> Result<Empty> {
    log_.info("hanging up", {{"reason", why.reason}});
    hangup();
    return Empty{};
  });
  LegControl::refuse_answers(*service_);
}

void OutboundLeg::start(std::vector<RegisteredGate> gates) {
  started_ns_ = host_.mono_ns();
  if (gates.empty() && server_.require_gate) return close(ended_as("denied", "no dial gate is loaded"));
  gate_check_.start(std::move(gates),
                    {request_.tenant, request_.number, request_.call_id, request_.correlation});
}

void OutboundLeg::open_media() {
  if (const Status opened = open_sockets(); !opened)
    return close(ended_as("failed", "no RTP port: " + opened.error().text));
  attempts_.start(media_.family());
}

TrunkAttempts::Order OutboundLeg::order() const {
  TrunkAttempts::Order order;
  order.tenant = request_.tenant;
  order.number = request_.number;
  order.display_name = request_.display_name;
  order.call_id = request_.call_id;
  order.attempt = static_cast<uint32_t>(request_.attempt);
  order.ring_timeout_ms = request_.ring_timeout_ms;
  return order;
}

TrunkAttempts::Callbacks OutboundLeg::callbacks() {
  TrunkAttempts::Callbacks callbacks;
  callbacks.offer = [this](const TrunkAccess& trunk, const lib::SocketAddress& to) {
    return offer(trunk, to);
  };
  callbacks.dialled = [this](DialogId dialog) { dialog_ = dialog; };
  callbacks.failed = [this](telephony::Ended ended) { close_with_stats(std::move(ended)); };
  callbacks.limited = [this](const TrunkRefusal& refused) {
    if (limited_) limited_(refused);
  };
  return callbacks;
}

Result<std::string> OutboundLeg::offer(const TrunkAccess& trunk, const lib::SocketAddress& to) {
  if (const Status keys = media_.use_security(trunk, log_); !keys)
    return {keys.error().code, "no keys for SRTP: " + keys.error().text};
  return media_.negotiation().offer(to, trunk.media);
}

void OutboundLeg::hangup() {
  if (closed_ || std::exchange(hanging_up_, true)) return;
  media_.stop_watch();
  attempts_.cancel();
  if (dialog_ != 0 || answered_ns_ != 0) return hang_up_dialog();
  gate_check_.cancel();
  close(ended_as("local", ""));
}

void OutboundLeg::on_owner_ended() {
  log_.warn("hanging up, because the plugin that owns the call has ended");
  hangup();
}

void OutboundLeg::fail(const std::string& why) {
  no_media_ = why;
  hangup();
}

void OutboundLeg::on_dialog_progress(DialogId id, int status, bool is_early) {
  if (id != dialog_ || closed_) return;
  attempts_.on_progress(status);
  const std::string* trunk = attempts_.trunk_id();
  listener_.send(LegListener::progress, {status, trunk != nullptr ? *trunk : std::string(), is_early});
}

void OutboundLeg::on_dialog_answered(DialogId id, const std::string& sdp, const std::string& peer_ip) {
  if (id != dialog_ || closed_) return;
  const Status applied = media_.negotiation().apply_first_answer(sdp, peer_ip);
  const Handle port = applied ? media_.open_port() : Handle();
  if (!applied) {
    log_.warn("the answer has no usable media", {{"why", applied.error().text}});
    no_media_ = "the answer carried no usable media: " + applied.error().text;
  }
  report_answered(port);
  if (!port) {
    hanging_up_ = true;
    return stack_.hangup(id);
  }
  media_.watch_silence();
  media_.show_audio(live_);
  place_ = attempts_.take_place();
  open_answered({0, request_.tenant, *attempts_.trunk_id(), request_.number, dialler_.id, request_.call_id},
                attempts_.trunk());
}

void OutboundLeg::report_answered(Handle port) {
  answered_ns_ = host_.mono_ns();
  const std::string* trunk = attempts_.trunk_id();
  live_.set_state("answered", trunk != nullptr ? *trunk : std::string());
  listener_.send(LegListener::answered,
                 {trunk != nullptr ? *trunk : std::string(), (answered_ns_ - started_ns_) / 1'000'000, port});
}

void OutboundLeg::on_call_ended(const DialogEnd& ended) {
  if (closed_) return;
  dialog_ = 0;
  const std::string* trunk = attempts_.trunk_id();
  const std::string trunk_id = trunk != nullptr ? *trunk : std::string();
  log_.info("the dialog has ended",
            {{"trunk", trunk_id}, {"sip", ended.sip_status}, {"text", ended.text}, {"detail", ended.detail}});
  // Reported as answered, because the callee took the call and must not be dialled again.
  if (ended.reason == EndReason::no_media && answered_ns_ == 0 && !hanging_up_) report_answered({});
  if (answered_ns_ == 0 && trunk != nullptr) return attempts_.on_ended(ended);
  telephony::Ended result = hangup_cause(ended);
  if (!no_media_.empty()) {
    result.cause = "failed";
    result.detail = no_media_;
  }
  result.answered = answered_ns_ != 0;
  result.trunk_id = trunk_id;
  close_with_stats(std::move(result));
}

void OutboundLeg::close_with_stats(telephony::Ended result) {
  result.earlier_trunks = attempts_.earlier_trunks();
  media_.add_statistics(result, log_);
  close(result);
}

void OutboundLeg::close(const telephony::Ended& ended) {
  if (std::exchange(closed_, true)) return;
  live_.end();
  media_.stop_watch();
  attempts_.cancel();
  attempts_.release_place();
  limits_.cancel(request_.call_id);
  listener_watch_ = EndWatch();
  dialler_watch_ = EndWatch();
  if (metrics_) metrics_(ended);
  close_leg(ended, std::move(on_closed_));
}

}  // namespace patchbay::sip_trunk

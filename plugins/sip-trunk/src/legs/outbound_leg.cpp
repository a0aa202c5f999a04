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
      health_(health),
      trunks_(trunks.trunks),
      request_(std::move(request)),
      on_closed_(std::move(on_closed)),
      gate_check_(host, log_,
                  [this](const Status& allowed) {
                    if (allowed) return open_media();
                    close(ended_as("denied", allowed.error().text));
                  }),
      failover_(std::move(trunk_ids)),
      lookup_(host, resolver, log_),
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
  try_trunk();
}

void OutboundLeg::try_trunk() {
  place_ = TrunkPlace();
  const std::string* id = failover_.current();
  if (id == nullptr) return close(ended_as("failed", "no trunk is configured for the number"));
  const TrunkKey trunk{request_.tenant, *id};
  if (const std::string why = health_.why_down(trunk); !why.empty()) return on_trunk_down(why);
  if (const auto full = limits_.take(trunk, trunks_.at(*id).limit, request_.call_id, host_.mono_ns()))
    return on_trunk_full(*full);
  place_ = TrunkPlace(limits_, trunk);
  lookup_.start(trunks_.at(*id), media_.family(), server_.silence_timeout_ms,
                [this](const Result<TrunkTargets>& found) { on_resolved(found); });
}

void OutboundLeg::on_trunk_full(const TrunkRefusal& refused) {
  const std::string trunk_id = *failover_.current();
  log_.info("a trunk takes no call now", {{"trunk", trunk_id}, {"limit", refused.text}});
  if (limited_) limited_(refused);
  if (pass_over(refused.text)) return;
  telephony::Ended result = ended_as("failed", refused.text + " is reached");
  result.trunk_id = trunk_id;
  close_with_stats(std::move(result));
}

void OutboundLeg::on_trunk_down(const std::string& why) {
  const std::string trunk_id = *failover_.current();
  log_.info("a trunk is passed over", {{"trunk", trunk_id}, {"why", why}});
  if (pass_over(why)) return;
  telephony::Ended result = ended_as("failed", "the trunk " + trunk_id + " is " + why);
  result.trunk_id = trunk_id;
  close_with_stats(std::move(result));
}

// Tries the next trunk without having tried the current one. False: there is none.
bool OutboundLeg::pass_over(const std::string& why) {
  const std::string trunk_id = *failover_.current();
  if (!failover_.skip()) return false;
  earlier_trunks_ += (earlier_trunks_.empty() ? "" : ", ") + trunk_id + ": " + why;
  try_trunk();
  return true;
}

void OutboundLeg::on_resolved(const Result<TrunkTargets>& found) {
  if (!found) return on_trunk_failed({EndReason::transport, 0, "", found.error().text});
  const std::string& id = *failover_.current();
  OutboundCall call;
  call.trunk = trunks_.at(id);
  call.trunk.transport = found->transport;
  call.tenant = request_.tenant;
  call.trunk_id = id;
  call.targets = found->targets;
  call.number = request_.number;
  call.display_name = request_.display_name;
  call.call_id = request_.call_id;
  call.attempt = static_cast<uint32_t>(request_.attempt);
  // Restarts for each trunk, so that a silent trunk takes no time from the callee.
  call.no_answer_timeout_ms = static_cast<uint32_t>(std::max(kMinRingMs, request_.ring_timeout_ms));
  if (const Status keys = media_.use_security(call.trunk, log_); !keys)
    return close(ended_as("failed", "no keys for SRTP: " + keys.error().text));
  call.offer = media_.negotiation().offer(call.targets.front().address, call.trunk.media);
  log_.info("dialling", {{"trunk", id}, {"address", call.targets.front().address.text()}});
  const auto dialog = stack_.dial(std::move(call), *events_);
  if (!dialog) return close(ended_as("failed", dialog.error().text));
  dialog_ = *dialog;
}

// The trunk failed before the callee answered: tries the next trunk or ends the call.
void OutboundLeg::on_trunk_failed(const DialogEnd& ended) {
  const std::string trunk_id = *failover_.current();
  telephony::Ended result = hangup_cause(ended);
  const TrunkKey trunk{request_.tenant, trunk_id};
  if (ended.reason == EndReason::transport || ended.reason == EndReason::silence)
    health_.call_failed(trunk, result.detail);
  else if (ended.reason == EndReason::rejected)
    health_.call_answered(trunk);
  if (!hanging_up_ && failover_.on_ended(ended)) {
    earlier_trunks_ += (earlier_trunks_.empty() ? "" : ", ") + trunk_id + ": " + result.detail;
    return try_trunk();
  }
  result.trunk_id = trunk_id;
  close_with_stats(std::move(result));
}

void OutboundLeg::hangup() {
  if (closed_ || std::exchange(hanging_up_, true)) return;
  media_.stop_watch();
  if (dialog_ != 0) return stack_.hangup(dialog_);
  lookup_.cancel();
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
  failover_.on_progress(status);
  const std::string* trunk = failover_.current();
  if (trunk != nullptr) health_.call_answered({request_.tenant, *trunk});
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
  const std::string& trunk = *failover_.current();
  open_answered({0, request_.tenant, trunk, request_.number, dialler_.id, request_.call_id},
                trunks_.at(trunk));
}

void OutboundLeg::report_answered(Handle port) {
  answered_ns_ = host_.mono_ns();
  const std::string* trunk = failover_.current();
  live_.set_state("answered", trunk != nullptr ? *trunk : std::string());
  listener_.send(LegListener::answered,
                 {trunk != nullptr ? *trunk : std::string(), (answered_ns_ - started_ns_) / 1'000'000, port});
}

void OutboundLeg::on_call_ended(const DialogEnd& ended) {
  if (closed_) return;
  dialog_ = 0;
  const std::string* trunk = failover_.current();
  const std::string trunk_id = trunk != nullptr ? *trunk : std::string();
  log_.info("the dialog has ended",
            {{"trunk", trunk_id}, {"sip", ended.sip_status}, {"text", ended.text}, {"detail", ended.detail}});
  // Reported as answered, because the callee took the call and must not be dialled again.
  if (ended.reason == EndReason::no_media && answered_ns_ == 0 && !hanging_up_) report_answered({});
  if (answered_ns_ == 0 && trunk != nullptr) return on_trunk_failed(ended);
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
  result.earlier_trunks = earlier_trunks_;
  media_.add_statistics(result, log_);
  close(result);
}

void OutboundLeg::close(const telephony::Ended& ended) {
  if (std::exchange(closed_, true)) return;
  live_.end();
  media_.stop_watch();
  lookup_.cancel();
  place_ = TrunkPlace();
  limits_.cancel(request_.call_id);
  listener_watch_ = EndWatch();
  dialler_watch_ = EndWatch();
  if (metrics_) metrics_(ended);
  transfer_.close();  // first, because ended() is the last that the owner hears
  listener_.send(LegListener::ended, ended);
  control_.close();
  service_.reset();
  close_leg(std::move(on_closed_));
}

}  // namespace patchbay::sip_trunk

#include "outbound_leg.h"

#include <algorithm>
#include <utility>

#include "hangup_cause.h"
#include "random64.h"

namespace patchbay::sip_trunk {
namespace {

constexpr int64_t kMediaCheckMs = 1000;
constexpr int64_t kGateLimitMs = 10'000;

}  // namespace

using telephony::LegListener;

OutboundLeg::OutboundLeg(const Host& host, SipStack& stack, Resolver& resolver, const ServerSettings& server,
                         const TenantTrunks& trunks, telephony::Dial request, Function<void()> on_closed)
    : host_(host),
      stack_(stack),
      resolver_(resolver),
      server_(server),
      trunks_(trunks.trunks),
      request_(std::move(request)),
      log_(Log(host).with(request_.correlation)),
      on_closed_(std::move(on_closed)),
      service_(host),
      listener_(Lease<LegListener>::open(host, request_.listener)),
      failover_(trunks.trunks_for(request_.number)),
      media_watch_(host),
      step_limit_(host),
      listener_watch_(host, request_.listener, [this] { on_owner_ended(); }),
      dialler_watch_(host, calling_plugin(host), [this] { on_owner_ended(); }) {
  service_.on(telephony::Leg::hangup, [this](const telephony::Hangup& why) -> Result<Empty> {
    log_.info("hanging up", {{"reason", why.reason}});
    hangup();
    return Empty{};
  });
}

void OutboundLeg::start(const std::vector<RegisteredGate>& gates) {
  started_ns_ = host_.mono_ns();
  gates_ = gates;
  if (gates_.empty() && server_.require_gate) return close(ended_as("denied", "no dial gate is loaded"));
  ask_gate(0);
}

void OutboundLeg::ask_gate(size_t index) {
  if (closed_) return;
  if (index == gates_.size()) return open_media();
  step_limit_.after_ms(kGateLimitMs, [this, index] {
    cancel_gate();
    log_.warn("a gate does not answer", {{"gate", gates_[index].name}});
    close(ended_as("denied", "the gate did not answer in time"));
  });
  gate_ = Lease<telephony::DialGate>::open(host_, gates_[index].instance);
  gate_.call(telephony::DialGate::check,
             {request_.tenant, request_.number, request_.call_id, request_.correlation},
             [this, index](const Result<telephony::Verdict>& verdict) {
               step_limit_.cancel();
               if (verdict && verdict->allowed)
                 return post(host_, kMainStrand, alive_.bind([this, index] { ask_gate(index + 1); }));
               const std::string why = verdict ? verdict->reason : "the gate did not answer";
               log_.warn("a gate refused the call", {{"gate", gates_[index].name}, {"why", why}});
               close(ended_as("denied", why));
             });
}

// Ignores an answer that comes later.
void OutboundLeg::cancel_gate() { gate_ = Lease<telephony::DialGate>(); }

void OutboundLeg::open_media() {
  const auto ip = lib::SocketAddress::parse(server_.media_ip, 0);
  auto socket = ip ? lib::RtpSocket::open(*ip, server_.rtp_port_min, server_.rtp_port_max)
                   : Result<lib::RtpSocket>(ip.error());
  if (!socket) return close(ended_as("failed", "no RTP port: " + socket.error().text));
  lib::AudioStream::Options options;
  options.jitter = server_.jitter;
  options.random = random64();
  options.wall_ns = host_.wall_ms() * 1'000'000;
  options.now_ns = host_.mono_ns();
  options.cname = "patchbay";
  port_ = std::make_unique<LegPort>(host_, std::move(*socket), options, [this](char digit) {
    listener_.send(LegListener::digit, {std::string(1, digit)});
  });
  local_.rtp = ip->with_port(port_->local_port());
  local_.session_id = random64() >> 1;
  try_trunk();
}

// Resolves the name here, with a deadline, because the SIP thread must only see numeric addresses.
void OutboundLeg::try_trunk() {
  const std::string* id = failover_.current();
  if (id == nullptr) return close(ended_as("failed", "no trunk is configured for the number"));
  const size_t attempt = resolving_ = ++resolutions_;
  const std::string& name = trunks_.at(*id).host;
  auto take =
      alive_.bind([this, attempt](const Result<Addresses>& addresses) { on_resolved(attempt, addresses); });
  step_limit_.after_ms(server_.silence_timeout_ms, [this, attempt] {
    on_resolved(attempt, Error{Code::timeout, "no answer in time"});
  });
  resolver_.resolve(name, local_.rtp.family(), [&host = host_, take](const Result<Addresses>& addresses) {
    post(host, kMainStrand, [take, addresses]() mutable { take(addresses); });
  });
}

void OutboundLeg::on_resolved(size_t attempt, const Result<Addresses>& addresses) {
  if (attempt != resolving_ || closed_) return;
  resolving_ = 0;
  step_limit_.cancel();
  if (hanging_up_) return close(ended_as("local", ""));
  if (addresses) return dial(*addresses);
  const std::string& name = trunks_.at(*failover_.current()).host;
  const auto known = resolver_.last_known(name, local_.rtp.family());
  log_.warn("a trunk's name is not resolved",
            {{"name", name}, {"why", addresses.error().text}, {"last-known", known.ok()}});
  if (known) return dial(*known);
  on_trunk_failed(
      {EndReason::transport, 0, "", "the name " + name + " is not resolved: " + addresses.error().text});
}

// Returns the media address for our SDP, which the trunk's packets must reach.
lib::SocketAddress OutboundLeg::announced_media(const lib::SocketAddress& trunk) const {
  if (const auto shown = lib::SocketAddress::parse(server_.advertise, port_->local_port())) return *shown;
  const auto bound = lib::SocketAddress::parse(server_.media_ip, port_->local_port());
  if (!bound->is_unspecified()) return *bound;
  const auto local = lib::local_address_towards(trunk);
  return local ? local->with_port(port_->local_port()) : *bound;
}

void OutboundLeg::dial(const Addresses& addresses) {
  const std::string& id = *failover_.current();
  OutboundCall call;
  call.trunk = trunks_.at(id);
  call.tenant = request_.tenant;
  call.trunk_id = id;
  for (const auto& address : addresses) call.targets.push_back(address.with_port(call.trunk.port));
  call.number = request_.number;
  call.display_name = request_.display_name;
  call.call_id = request_.call_id;
  call.attempt = static_cast<uint32_t>(request_.attempt);
  // Restarts for each trunk, so that a silent trunk takes no time from the callee.
  call.no_answer_timeout_ms = static_cast<uint32_t>(std::max<int64_t>(1000, request_.ring_timeout_ms));
  {
    const std::lock_guard lock(media_mutex_);
    local_.rtp = announced_media(call.targets.front());
    call.offer = lib::write_offer(local_);
  }
  log_.info("dialling", {{"trunk", id}, {"address", call.targets.front().text()}});
  const auto dialog = stack_.dial(std::move(call), *this);
  if (!dialog) return close(ended_as("failed", dialog.error().text));
  dialog_ = *dialog;
}

// The trunk failed before the callee answered: tries the next trunk or ends the call.
void OutboundLeg::on_trunk_failed(const DialogEnd& ended) {
  const std::string trunk_id = *failover_.current();
  telephony::Ended result = hangup_cause(ended);
  if (!hanging_up_ && failover_.on_ended(ended)) {
    earlier_trunks_ += (earlier_trunks_.empty() ? "" : ", ") + trunk_id + ": " + result.detail;
    return try_trunk();
  }
  result.trunk_id = trunk_id;
  close_with_stats(std::move(result));
}

void OutboundLeg::hangup() {
  if (closed_ || std::exchange(hanging_up_, true)) return;
  if (dialog_ != 0) return stack_.hangup(dialog_);
  if (resolving_ != 0) return on_resolved(resolving_, Error{Code::cancelled, "hung up"});
  cancel_gate();
  close(ended_as("local", ""));
}

void OutboundLeg::on_owner_ended() {
  log_.warn("hanging up, because the plugin that owns the call has ended");
  hangup();
}

void OutboundLeg::on_progress(DialogId id, int status, std::string_view sdp, std::string_view) {
  post(host_, kMainStrand, alive_.bind([this, id, status, early = !sdp.empty()] {
    if (id != dialog_ || closed_) return;
    failover_.on_progress(status);
    const std::string* trunk = failover_.current();
    listener_.send(LegListener::progress, {status, trunk != nullptr ? *trunk : std::string(), early});
  }));
}

void OutboundLeg::on_answered(DialogId id, std::string_view sdp, std::string_view peer_ip) {
  post(host_, kMainStrand, alive_.bind([this, id, sdp = std::string(sdp), peer = std::string(peer_ip)] {
    if (id == dialog_ && !closed_) on_dialog_answered(id, sdp, peer);
  }));
}

// Caller holds media_mutex_.
Status OutboundLeg::apply_media(const lib::RemoteMedia& remote) {
  const auto peer = lib::SocketAddress::parse(signalling_ip_, 0);
  const auto is_allowed = [&](const lib::SocketAddress& target) {
    const lib::AddressKind kind = target.kind();
    return kind == lib::AddressKind::host || (peer && kind == peer->kind());
  };
  // The SDP is untrusted: it must not direct our packets at this machine or at a multicast group.
  if (remote.send && !is_allowed(remote.rtp))
    return {Code::denied, "its address " + remote.rtp.ip_text() + " is not a possible address of the trunk"};
  if (std::exchange(held_, !remote.send || !remote.receive)) resumed_ns_ = host_.mono_ns();
  lib::StreamMedia media;
  media.remote_rtp = remote.rtp;
  if (is_allowed(remote.rtcp)) media.remote_rtcp = remote.rtcp;
  if (peer) media.signalling = *peer;
  media.law = remote.law;
  media.event_payload_type = remote.event_payload_type;
  media.send = remote.send;
  media.receive = remote.receive;
  port_->configure(media);
  return {};
}

void OutboundLeg::on_dialog_answered(DialogId id, const std::string& sdp, const std::string& peer_ip) {
  Handle port;
  {
    const std::lock_guard lock(media_mutex_);
    signalling_ip_ = peer_ip;
    const auto remote = lib::parse_answer(local_, sdp);
    const Status applied = remote ? apply_media(*remote) : Status(remote.error());
    if (applied) {
      port = port_->open(host_);
    } else {
      log_.warn("the answer has no usable media", {{"why", applied.error().text}});
      no_media_ = "the answer carried no usable media";
    }
  }
  report_answered(port);
  if (!port) {
    hanging_up_ = true;
    return stack_.hangup(id);
  }
  watch_media();
}

void OutboundLeg::report_answered(Handle port) {
  answered_ns_ = host_.mono_ns();
  const std::string* trunk = failover_.current();
  listener_.send(LegListener::answered,
                 {trunk != nullptr ? *trunk : std::string(), (answered_ns_ - started_ns_) / 1'000'000, port});
}

void OutboundLeg::watch_media() {
  media_watch_.after_ms(kMediaCheckMs, [this] {
    if (closed_ || hanging_up_) return;
    bool held = false;
    int64_t since = std::max(answered_ns_, port_->stats().last_received_ns.load(std::memory_order_relaxed));
    {
      const std::lock_guard lock(media_mutex_);
      held = held_;
      since = std::max(since, resumed_ns_);
    }
    const int64_t silent_ms = (host_.mono_ns() - since) / 1'000'000;
    if (held || silent_ms < server_.no_media_timeout_ms) return watch_media();
    no_media_ = "no media for " + std::to_string(silent_ms / 1000) + " s";
    hangup();
  });
}

Result<std::string> OutboundLeg::answer_offer(std::string_view sdp) {
  const std::lock_guard lock(media_mutex_);
  ++local_.version;
  if (sdp.empty()) return lib::write_offer(local_);
  PB_TRY_VALUE(const lib::RemoteOffer offer, lib::parse_offer(local_, sdp));
  PB_TRY(apply_media(offer.media));
  return lib::write_answer(local_, offer);
}

std::string OutboundLeg::on_reoffer(DialogId, std::string_view sdp) {
  auto answer = answer_offer(sdp);
  return answer ? *std::move(answer) : std::string();
}

void OutboundLeg::on_reanswer(DialogId, std::string_view sdp) {
  const std::lock_guard lock(media_mutex_);
  const auto remote = lib::parse_answer(local_, sdp);
  const Status applied = remote ? apply_media(*remote) : Status(remote.error());
  if (!applied) log_.warn("the new answer has no usable media", {{"why", applied.error().text}});
}

void OutboundLeg::on_ended(DialogId id, const DialogEnd& ended) {
  post(host_, kMainStrand, alive_.bind([this, id, ended] { on_dialog_ended(id, ended); }));
}

void OutboundLeg::on_dialog_ended(DialogId id, const DialogEnd& ended) {
  if (id != dialog_ || closed_) return;
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
  if (port_) {
    const lib::StreamStats& stats = port_->stats();
    result.rtp_received = static_cast<int64_t>(stats.packets_received.load());
    result.rtp_lost = stats.lost.load();
    result.rtp_late = static_cast<int64_t>(stats.packets_late.load());
    result.rtp_refused = static_cast<int64_t>(stats.packets_refused.load());
    result.rtp_dropped = static_cast<int64_t>(port_->packets_dropped());
    result.rtp_jitter_us = stats.jitter_us.load();
    result.rtp_far_lost_percent = stats.far_reported.load() ? stats.far_fraction_lost.load() * 100 / 256 : -1;
    log_.info("audio of the call", {{"received", result.rtp_received},
                                    {"lost", result.rtp_lost},
                                    {"late", result.rtp_late},
                                    {"refused", result.rtp_refused},
                                    {"dropped", result.rtp_dropped},
                                    {"jitter-us", result.rtp_jitter_us},
                                    {"far-lost-percent", result.rtp_far_lost_percent}});
  }
  close(result);
}

void OutboundLeg::close(const telephony::Ended& ended) {
  if (std::exchange(closed_, true)) return;
  media_watch_.cancel();
  step_limit_.cancel();
  listener_watch_ = EndWatch();
  dialler_watch_ = EndWatch();
  if (metrics_) metrics_(ended);
  listener_.send(LegListener::ended, ended);
  service_.withdraw();
  const auto closed = alive_.bind([this] {
    const Function<void()> on_closed = std::move(on_closed_);
    on_closed();
  });
  // A port that was never opened needs no close.
  if (port_ && port_->handle()) return port_->close(closed);
  post(host_, kMainStrand, closed);
}

}  // namespace patchbay::sip_trunk

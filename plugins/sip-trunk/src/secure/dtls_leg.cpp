#include "secure/dtls_leg.h"

#include <algorithm>
#include <utility>

namespace patchbay::sip_trunk {

using State = lib::DtlsTransport::State;

DtlsLeg::DtlsLeg(const Host& host, Callbacks callbacks)
    : host_(host), callbacks_(std::move(callbacks)), timer_(host) {}

bool DtlsLeg::is_current(const Session& session) const {
  return transport_ && transport_->state() != State::failed && session.role == session_.role &&
         session.fingerprints == session_.fingerprints && session.remote == session_.remote;
}

void DtlsLeg::start(Session session) {
  if (is_current(session)) return;
  session_ = std::move(session);
  peer_ = session_.remote;
  is_done_ = false;
  auto transport = lib::DtlsTransport::create(
      session_.certificate, {.role = session_.role, .peer_fingerprints = session_.fingerprints},
      host_.mono_ns());
  if (!transport) return callbacks_.on_failed(transport.error().text);
  transport_ = *std::move(transport);
  if (const auto early = std::move(early_)) receive(*early);
  proceed();
}

void DtlsLeg::receive(const lib::Datagram& datagram) {
  if (!transport_) {
    early_ = std::make_unique<lib::Datagram>(datagram);
    return;
  }
  if (!datagram.sender.same_ip(session_.remote) && !datagram.sender.same_ip(session_.signalling)) return;
  // Another port than the SDP's counts only once what it sends is a part of the handshake.
  if (transport_->receive({datagram.data.data(), datagram.size}, host_.mono_ns())) peer_ = datagram.sender;
  if (!transport_->has_begun()) send_waiting(datagram.sender);
  proceed();
}

void DtlsLeg::send_waiting(const lib::SocketAddress& to) {
  for (auto out = transport_->take_outgoing(); !out.empty(); out = transport_->take_outgoing())
    callbacks_.send(to, out);
}

// Sends what is waiting, reports the end of the handshake and sets the timer.
void DtlsLeg::proceed() {
  send_waiting(peer_);
  timer_.cancel();
  if (transport_->state() != State::handshake) {
    if (std::exchange(is_done_, true)) return;
    if (transport_->keys()) return callbacks_.on_keys(*transport_->keys());
    return callbacks_.on_failed(transport_->failure());
  }
  const int64_t now_ns = host_.mono_ns();
  const int64_t due_ns = transport_->timer_due_ns(now_ns).value_or(now_ns);
  timer_.after_ms(std::max<int64_t>(1, (due_ns - now_ns + 999'999) / 1'000'000), [this] {
    transport_->on_timer(host_.mono_ns());
    proceed();
  });
}

}  // namespace patchbay::sip_trunk

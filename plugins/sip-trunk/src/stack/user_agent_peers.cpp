// Which peers a UserAgent lets in, and its connections to them.
#include <sys/socket.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "dialogs/dialog_route.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {
namespace {

bool is_udp(int descriptor) {
  int type = 0;
  socklen_t size = sizeof(type);
  return ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM;
}

}  // namespace

void UserAgent::set_allowed_peers(std::vector<lib::SocketAddress> peers) {
  (void)post([this, peers = std::move(peers)]() mutable { filter_.set_permanent(std::move(peers)); });
}

Status UserAgent::use_hop(const std::string& url) {
  const Hop hop = hop_of_url(url);
  if (hop.transport == Transport::udp) return {};
  if (std::find(tcp_peers_.begin(), tcp_peers_.end(), hop.address) == tcp_peers_.end()) {
    if (tcp_peers_.size() == kMaxTcpPeers) tcp_peers_.erase(tcp_peers_.begin());
    tcp_peers_.push_back(hop.address);
  }
  return hop.transport == Transport::tls ? tls_.expect(hop.address, hop.host) : Status();
}

// Posts a task, because OpenSSL calls this within a function of sofia-sip.
void UserAgent::on_tls_failed(const lib::SocketAddress& peer) {
  (void)post([this, peer] {
    std::vector<DialogId> ids;
    for (const auto& [id, dialog] : dialogs_) ids.push_back(id);
    for (const DialogId id : ids) {
      const auto at = dialogs_.find(id);
      if (at == dialogs_.end()) continue;
      at->second->on_unreachable(peer, tls_.failure(peer));
      reap(id);
    }
    for (const auto& [id, request] : requests_) request->on_unreachable(peer, tls_.failure(peer));
    std::erase_if(requests_, [](const auto& item) { return item.second->is_closed(); });
  });
}

void UserAgent::set_certificates(std::shared_ptr<const TlsCertificates> certificates) {
  (void)post([this, certificates = std::move(certificates)] { tls_.use(certificates); });
}

void UserAgent::attach_peer_filter() {
  const auto listen = lib::SocketAddress::parse(options_.listen_ip, port_);
  std::vector<int> descriptors;
  for (const OwnSocket& socket : OwnSockets().list())
    if (listen && (socket.is_listening || !socket.is_stream) &&
        (socket.local == *listen ||
         (options_.tls && socket.is_listening && socket.local == listen->with_port(options_.tls_port))))
      descriptors.push_back(socket.fd);
  if (register_screen_) {
    for (const int fd : descriptors)
      if (is_udp(fd)) udp_socket_ = fd;
    return register_screen_->set_socket(udp_socket_);
  }
  filter_.set_permanent(options_.allowed_peers);
  filter_.set_sockets(std::move(descriptors));
}

void UserAgent::watch_connections() {
  if (!options_.tcp && !options_.tls) return;
  // Gives up a dead connection early enough to try another within the silence timeout.
  TcpWatch::Limits limits;
  limits.max_accepted = options_.max_connections;
  limits.unacknowledged_ms =
      std::clamp<uint32_t>(options_.silence_timeout_ms / 5 * 4, kMinUnacknowledgedMs, kMaxUnacknowledgedMs);
  watch_ = std::make_unique<TcpWatch>(std::vector<uint16_t>{port_, tls_port()}, limits);
  watch_timer_ = su_timer_create(su_root_task(root_), su_duration_t{kTcpSweepMs});
  if (watch_timer_ != nullptr) su_timer_set_for_ever(watch_timer_, on_watch_timer, nullptr);
}

void UserAgent::on_watch_timer(UserAgent* self, su_timer_t*, HandleOwner*) {
  std::vector<lib::SocketAddress> in_use = self->connected_;
  for (const auto& [id, dialog] : self->dialogs_)
    if (const InboundDialog* call = dialog->inbound()) in_use.push_back(call->source());
  const TcpWatch::Shut shut = self->watch_->sweep(self->tcp_peers_, in_use);
  self->tcp_peer_closed_ += shut.peer_closed;
  self->tcp_idle_ += shut.idle;
  self->tcp_excess_ += shut.excess;
}

void UserAgent::set_realms(std::set<std::string> realms) {
  (void)post([this, realms = std::move(realms)]() mutable {
    if (register_screen_) register_screen_->set_realms(std::move(realms));
  });
}

void UserAgent::keep_alive(std::vector<lib::SocketAddress> datagrams,
                           std::vector<lib::SocketAddress> connected) {
  (void)post([this, datagrams = std::move(datagrams), connected = std::move(connected)]() mutable {
    connected_ = std::move(connected);
    constexpr std::string_view kPing = "\r\n\r\n";
    for (const lib::SocketAddress& address : datagrams) {
      sockaddr_storage storage;
      const socklen_t size = address.fill(storage);
      (void)::sendto(udp_socket_, kPing.data(), kPing.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                     reinterpret_cast<const sockaddr*>(&storage), size);
    }
  });
}

}  // namespace patchbay::sip_trunk

#include "stack/sip_peer_filter.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "rtp/peer_address_filter.h"

namespace patchbay::sip_trunk {

void SipPeerFilter::set_sockets(std::vector<int> descriptors) {
  descriptors_ = std::move(descriptors);
  if (descriptors_.empty() && changed_) changed_({Code::not_found, "the SIP sockets are not found"});
  apply();
}

void SipPeerFilter::set_permanent(std::vector<lib::SocketAddress> peers) {
  permanent_ = std::move(peers);
  apply();
}

bool SipPeerFilter::is_permanent(const lib::SocketAddress& peer) const {
  return std::any_of(permanent_.begin(), permanent_.end(),
                     [&](const lib::SocketAddress& other) { return other.same_ip(peer); });
}

void SipPeerFilter::allow(const lib::SocketAddress& peer) {
  if (!peer.valid() || ++counted_[peer.ip_text()] > 1) return;
  apply();
}

void SipPeerFilter::forbid(const lib::SocketAddress& peer) {
  const auto found = peer.valid() ? counted_.find(peer.ip_text()) : counted_.end();
  if (found == counted_.end() || --found->second > 0) return;
  counted_.erase(found);
  apply();
}

void SipPeerFilter::apply() {
  if (descriptors_.empty()) return;
  Status attached = attach();
  if (!attached && attached.error().code == Code::unavailable) {
    detach();  // the kernel limits the memory of the old and the new program together
    attached = attach();
  }
  if (!attached) detach();
  const State next = attached ? State::on : State::off;
  if (std::exchange(state_, next) != next && changed_) changed_(attached);
}

Status SipPeerFilter::attach() const {
  std::set<std::string> texts;
  for (const auto& peer : permanent_) texts.insert(peer.ip_text());
  for (const auto& [peer, count] : counted_) texts.insert(peer);
  std::vector<lib::SocketAddress> peers;
  for (const std::string& text : texts)
    if (const auto peer = lib::SocketAddress::parse(text, 0)) peers.push_back(*peer);
  std::vector<sock_filter> code(lib::kMaxFilterInstructions);
  const size_t size = lib::write_peer_address_filter(peers.data(), peers.size(), code.data(), code.size());
  if (size == 0) return {Code::exhausted, std::to_string(peers.size()) + " addresses do not fit into it"};
  const sock_fprog filter{static_cast<unsigned short>(size), code.data()};
  for (int fd : descriptors_) {
    if (::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) != 0)
      return {Code::unavailable,
              "the kernel refuses " + std::to_string(peers.size()) + " addresses: " + std::strerror(errno)};
  }
  return {};
}

void SipPeerFilter::detach() const {
  const int unused = 0;
  for (int fd : descriptors_) (void)::setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof(unused));
}

}  // namespace patchbay::sip_trunk

#include "source_filter.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include <set>
#include <utility>

#include "rtp/bytes.h"

namespace patchbay::sip_trunk {
namespace {

constexpr size_t kMaxPeers = 400;  // 8 instructions for an IPv6 peer, BPF_MAXINSNS is 4096
constexpr uint32_t kNetwork = static_cast<uint32_t>(SKF_NET_OFF);
constexpr uint32_t kSource4 = 12;  // offsets in the IP headers
constexpr uint32_t kSource6 = 8;

sock_filter load_word(uint32_t offset) { return {BPF_LD | BPF_W | BPF_ABS, 0, 0, kNetwork + offset}; }
sock_filter unless_equal_skip(uint32_t value, uint8_t skip) {
  return {BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value};
}
constexpr sock_filter kAccept{BPF_RET | BPF_K, 0, 0, 0xFFFFFFFF};
constexpr sock_filter kDrop{BPF_RET | BPF_K, 0, 0, 0};

std::vector<sock_filter> program(const std::set<std::string>& peers) {
  std::vector<sock_filter> v4{load_word(kSource4)};
  std::vector<sock_filter> v6;
  size_t taken = 0;
  for (const std::string& text : peers) {
    const auto peer = lib::SocketAddress::parse(text, 0);
    if (!peer || ++taken > kMaxPeers) continue;
    sockaddr_storage storage;
    peer->fill(storage);
    if (peer->family() == AF_INET) {
      const auto& address = reinterpret_cast<const sockaddr_in&>(storage).sin_addr;
      v4.push_back(unless_equal_skip(lib::read_u32(reinterpret_cast<const uint8_t*>(&address)), 1));
      v4.push_back(kAccept);
      continue;
    }
    const uint8_t* bytes = reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr.s6_addr;
    for (uint32_t word = 0; word < 4; ++word) {
      v6.push_back(load_word(kSource6 + 4 * word));
      const auto skip = static_cast<uint8_t>(2 * (3 - word) + 1);
      v6.push_back(unless_equal_skip(lib::read_u32(bytes + 4 * word), skip));
    }
    v6.push_back(kAccept);
  }
  v4.push_back(kDrop);
  v6.push_back(kDrop);
  // The version of IP chooses the half: 6 jumps over the other one.
  std::vector<sock_filter> all{{BPF_LD | BPF_B | BPF_ABS, 0, 0, kNetwork},
                               {BPF_ALU | BPF_RSH | BPF_K, 0, 0, 4},
                               {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 4},
                               {BPF_JMP | BPF_JA, 0, 0, static_cast<uint32_t>(v4.size())}};
  all.insert(all.end(), v4.begin(), v4.end());
  all.insert(all.end(), v6.begin(), v6.end());
  return all;
}

}  // namespace

bool SourceFilter::guard(std::vector<int> descriptors) {
  descriptors_ = std::move(descriptors);
  return apply();
}

void SourceFilter::set_permanent(std::vector<lib::SocketAddress> peers) {
  permanent_ = std::move(peers);
  (void)apply();
}

void SourceFilter::allow(const lib::SocketAddress& peer) {
  if (!peer.valid() || ++counted_[peer.ip_text()] > 1) return;
  (void)apply();
}

void SourceFilter::forbid(const lib::SocketAddress& peer) {
  const auto found = peer.valid() ? counted_.find(peer.ip_text()) : counted_.end();
  if (found == counted_.end() || --found->second > 0) return;
  counted_.erase(found);
  (void)apply();
}

bool SourceFilter::apply() {
  if (descriptors_.empty()) return true;
  std::set<std::string> peers;
  for (const auto& peer : permanent_) peers.insert(peer.ip_text());
  for (const auto& [peer, count] : counted_) peers.insert(peer);
  std::vector<sock_filter> code = program(peers);
  const sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
  bool taken = true;
  for (int fd : descriptors_)
    taken = ::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0 && taken;
  return taken;
}

}  // namespace patchbay::sip_trunk

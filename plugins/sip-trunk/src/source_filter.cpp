#include "source_filter.h"

#include <sys/socket.h>

#include <set>
#include <utility>

#include "rtp/source_program.h"

namespace patchbay::sip_trunk {
namespace {

constexpr size_t kMaxPeers = 400;  // 9 instructions for an IPv6 peer, BPF_MAXINSNS is 4096

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
  std::set<std::string> texts;
  for (const auto& peer : permanent_) texts.insert(peer.ip_text());
  for (const auto& [peer, count] : counted_) texts.insert(peer);
  std::vector<lib::SocketAddress> peers;
  for (const std::string& text : texts)
    if (const auto peer = lib::SocketAddress::parse(text, 0); peer && peers.size() < kMaxPeers)
      peers.push_back(*peer);
  std::vector<sock_filter> code(lib::kMaxSourceInstructions);
  const size_t size = lib::write_source_program(peers.data(), peers.size(), code.data(), code.size());
  const sock_fprog filter{static_cast<unsigned short>(size), code.data()};
  bool taken = size != 0;
  for (int fd : descriptors_)
    taken = ::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0 && taken;
  return taken;
}

}  // namespace patchbay::sip_trunk

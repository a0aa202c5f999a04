#include "bench/calls/telephones.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "bench/calls/loopback.h"
#include "codec/g711.h"
#include "rtp/packet.h"

namespace patchbay::bench {
namespace {

constexpr int kLoudPackets = 3;

bool is_loud(const lib::RtpPacket& packet) {
  std::array<int16_t, 160> pcm;
  const size_t count = std::min(packet.payload_bytes, pcm.size());
  lib::g711_decode(lib::G711::mu_law, packet.payload, count, pcm.data());
  return std::any_of(pcm.begin(), pcm.begin() + static_cast<ptrdiff_t>(count),
                     [](int16_t sample) { return std::abs(int{sample}) > kLoud; });
}

}  // namespace

Telephones::Telephones(int max_calls)
    : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
      far_ports_(static_cast<size_t>(max_calls)),
      call_of_port_(size_t{UINT16_MAX} + 1),
      loud_left_(far_ports_.size()),
      spoke_ns_(far_ports_.size()),
      heard_ns_(far_ports_.size()),
      last_loud_ns_(far_ports_.size()) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  const timeval look{0, 100'000};
  const int buffer = 4 << 20;  // a burst of many calls
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
  if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::perror("telephones");
    std::exit(1);
  }
  port_ = ntohs(address.sin_port);
  std::minstd_rand random;
  std::array<int16_t, 160> tone, noise;
  // Noise instead of digital silence, which costs the resampler nothing.
  for (int16_t& sample : noise) sample = static_cast<int16_t>(static_cast<int>(random() % 128) - 64);
  lib::g711_encode(lib::G711::mu_law, noise.data(), noise.size(), noise_.data());
  for (size_t i = 0; i < tone.size(); ++i)
    tone[i] = static_cast<int16_t>(12000 * std::cos(static_cast<double>(i) * 2 * 3.14159265 * 400 / 8000));
  lib::g711_encode(lib::G711::mu_law, tone.data(), tone.size(), loud_.data());
  receiver_ = std::thread([this] { receive(); });
  pacer_.emplace([this](int slot, int64_t due_ns) { send(slot, due_ns); });
}

Telephones::~Telephones() {
  stop_ = true;
  pacer_.reset();
  receiver_.join();
  ::close(fd_);
}

void Telephones::connect(const std::vector<uint16_t>& far_ports) {
  for (size_t call = 0; call < far_ports.size(); ++call) {
    far_ports_[call] = far_ports[call];
    call_of_port_[far_ports[call]] = static_cast<int>(call) + 1;
  }
  connected_.store(far_ports.size(), std::memory_order_release);
}

void Telephones::speak() {
  for (size_t call = 0; call < far_ports_.size(); ++call) {
    spoke_ns_[call] = 0;
    loud_left_[call] = kLoudPackets;
  }
}

void Telephones::listen() {
  for (auto& time : heard_ns_) time = 0;
}

void Telephones::send(int slot, int64_t due_ns) {
  const size_t calls = connected();
  if (calls == 0 || paused_) return;
  if (slot == 0) ++sequence_;
  for (size_t call = static_cast<size_t>(slot); call < calls; call += kFrameMs) {
    lib::RtpPacket header;
    header.sequence = sequence_;
    header.timestamp = sequence_ * 160u;
    header.ssrc = 0x1000u + static_cast<uint32_t>(call);
    std::array<uint8_t, lib::kRtpHeaderBytes + 160> packet;
    lib::write_rtp_header(header, packet.data());
    const bool loud = loud_left_[call] > 0;
    std::memcpy(packet.data() + lib::kRtpHeaderBytes, loud ? loud_.data() : noise_.data(), 160);
    const sockaddr_in to = loopback(far_ports_[call]);
    if (loud && loud_left_[call]-- == kLoudPackets) spoke_ns_[call] = due_ns;
    ::sendto(fd_, packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
}

void Telephones::receive() {
  std::array<uint8_t, 2048> datagram;
  while (!stop_) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t bytes =
        ::recvfrom(fd_, datagram.data(), datagram.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (bytes < 0) continue;
    const int64_t at = now_ns();
    const auto packet = lib::parse_rtp(datagram.data(), static_cast<size_t>(bytes));
    if (!packet || connected() == 0) continue;
    ++received_;
    const int found = call_of_port_[ntohs(from.sin_port)];
    if (found == 0 || !is_loud(*packet)) continue;
    const auto call = static_cast<size_t>(found) - 1;
    if (heard_ns_[call] == 0) heard_ns_[call] = at;
    heard_loud(call, at);
  }
}

void Telephones::heard_loud(size_t call, int64_t at_ns) {
  const std::lock_guard lock(mutex_);
  int64_t& last = last_loud_ns_[call];
  if (last != 0 && at_ns - last > kGapNs) gaps_.push_back({static_cast<int>(call), last, at_ns});
  if (last != 0) last = at_ns;
}

void Telephones::watch() {
  const std::lock_guard lock(mutex_);
  std::fill(last_loud_ns_.begin(), last_loud_ns_.end(), now_ns());
  gaps_.clear();
}

std::vector<Telephones::Gap> Telephones::gaps() {
  const std::lock_guard lock(mutex_);
  std::vector<Gap> all = gaps_;
  const int64_t now = now_ns();
  for (size_t call = 0; call < connected(); ++call)
    if (now - last_loud_ns_[call] > kGapNs) all.push_back({static_cast<int>(call), last_loud_ns_[call], now});
  return all;
}

}  // namespace patchbay::bench

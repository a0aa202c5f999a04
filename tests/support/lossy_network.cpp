#include "support/lossy_network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace patchbay::test {
namespace {

constexpr size_t kIpHeaderBytes = 20;  // of packets without options
constexpr size_t kUdpHeaderBytes = 8;
constexpr size_t kRtpBytes = kIpHeaderBytes + kUdpHeaderBytes + 12;
constexpr uint16_t kFirstSequence = 0xFFC0;       // wraps after 64 packets
constexpr uint32_t kFirstTimestamp = 0xFFFFE000;  // after a second at 8 kHz

int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

uint16_t get_u16(const uint8_t* at) { return static_cast<uint16_t>(at[0] << 8 | at[1]); }
uint32_t get_u32(const uint8_t* at) { return uint32_t{get_u16(at)} << 16 | get_u16(at + 2); }
void put_u16(uint8_t* at, uint16_t value) {
  at[0] = static_cast<uint8_t>(value >> 8);
  at[1] = static_cast<uint8_t>(value);
}
void put_u32(uint8_t* at, uint32_t value) {
  put_u16(at, static_cast<uint16_t>(value >> 16));
  put_u16(at + 2, static_cast<uint16_t>(value));
}

bool is_rtp(const std::vector<uint8_t>& packet) {
  if (packet.size() < kRtpBytes || packet[9] != IPPROTO_UDP) return false;
  const uint8_t* rtp = packet.data() + kIpHeaderBytes + kUdpHeaderBytes;
  return rtp[0] >> 6 == 2 && (rtp[1] < 192 || rtp[1] > 223);  // not RTCP
}

Error failed(const char* what) { return {Code::failed, std::string(what) + ": " + std::strerror(errno)}; }

void set_address(ifreq& request, const char* ip) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, ip, &address.sin_addr);
  std::memcpy(&request.ifr_addr, &address, sizeof(address));
}

// Gives the device its address and network, and brings it up.
Status configure(ifreq request) {
  const Descriptor fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  set_address(request, LossyNetwork::kNearIp);
  if (::ioctl(fd.get(), SIOCSIFADDR, &request) != 0) return failed("address");
  set_address(request, "255.255.255.0");
  if (::ioctl(fd.get(), SIOCSIFNETMASK, &request) != 0) return failed("network");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(fd.get(), SIOCSIFFLAGS, &request) != 0) return failed("up");
  return {};
}

}  // namespace

Result<std::unique_ptr<LossyNetwork>> LossyNetwork::open(uint32_t seed) {
  Descriptor device(::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!device) return failed("/dev/net/tun");
  ifreq request{};
  std::strcpy(request.ifr_name, "lossy0");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (::ioctl(device.get(), TUNSETIFF, &request) != 0) return failed("TUNSETIFF");
  PB_TRY(configure(request));
  Descriptor wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake) return failed("eventfd");
  return std::unique_ptr<LossyNetwork>(new LossyNetwork(std::move(device), std::move(wake), seed));
}

LossyNetwork::LossyNetwork(Descriptor device, Descriptor wake, uint32_t seed)
    : device_(std::move(device)), wake_(std::move(wake)), random_(seed), thread_([this] { run(); }) {}

LossyNetwork::~LossyNetwork() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
  thread_.join();
}

void LossyNetwork::set(const Conditions& conditions) {
  const std::lock_guard lock(mutex_);
  conditions_ = conditions;
}

uint64_t LossyNetwork::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void LossyNetwork::run() {
  pollfd events[] = {{device_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  while ((events[1].revents & POLLIN) == 0) {
    const int64_t wait_us =
        waiting_.empty() ? 1'000'000 : std::max<int64_t>(0, waiting_.begin()->first - now_us());
    (void)::poll(events, 2, static_cast<int>((wait_us + 999) / 1000));
    Packet packet(2048);
    for (ssize_t size = 0; (size = ::read(device_.get(), packet.data(), packet.size())) > 0;
         packet.resize(2048)) {
      packet.resize(static_cast<size_t>(size));
      take(packet);
    }
    send_due();
  }
}

void LossyNetwork::take(Packet packet) {
  if (packet.size() < kIpHeaderBytes || packet[0] != 0x45) return;  // IPv4 without options
  // Turns the packet round; the checksums stay the same.
  std::swap_ranges(packet.begin() + 12, packet.begin() + 16, packet.begin() + 16);
  int64_t at_us = now_us();
  if (is_rtp(packet)) {
    const std::lock_guard lock(mutex_);
    if (static_cast<double>(random_() % 1'000'000) < conditions_.loss * 1'000'000) {
      ++lost_;
      return;
    }
    if (conditions_.jitter_us > 0)
      at_us += static_cast<int64_t>(random_() % static_cast<uint32_t>(conditions_.jitter_us));
    change(packet.data() + kIpHeaderBytes + kUdpHeaderBytes, packet.data() + kIpHeaderBytes);
  }
  waiting_.emplace(at_us, std::move(packet));
}

void LossyNetwork::change(uint8_t* rtp, uint8_t* udp) {
  const uint32_t ssrc = get_u32(rtp + 8);
  const Offsets& add =
      offsets_
          .try_emplace(ssrc, Offsets{static_cast<uint16_t>(kFirstSequence - get_u16(rtp + 2)),
                                     kFirstTimestamp - get_u32(rtp + 4)})
          .first->second;
  put_u16(rtp + 2, static_cast<uint16_t>(get_u16(rtp + 2) + add.sequence));
  put_u32(rtp + 4, get_u32(rtp + 4) + add.timestamp);
  put_u32(rtp + 8, ssrc ^ conditions_.ssrc_mask);
  put_u16(udp + 6, 0);  // no checksum
}

void LossyNetwork::send_due() {
  while (!waiting_.empty() && waiting_.begin()->first <= now_us()) {
    const Packet& packet = waiting_.begin()->second;
    (void)!::write(device_.get(), packet.data(), packet.size());
    waiting_.erase(waiting_.begin());
  }
}

}  // namespace patchbay::test

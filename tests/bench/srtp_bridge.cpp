// RTP that comes from callers and goes to callees as SRTP: the processor time of a packet in a whole server,
// compared with rtpengine in user space.
#include <sys/socket.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "bench/bridge/relays.h"
#include "bench/calls/loopback.h"
#include "bench/calls/telephones.h"
#include "bench/pairs.h"

using namespace patchbay;
using namespace patchbay::bench;

namespace {

constexpr int kDefaultCalls = 200;
constexpr double kSeconds = 4;

// The callees, which only count.
class Counter {
 public:
  Counter() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const timeval look{0, 100'000};
    const int buffer = 4 << 20;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
    if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      std::exit(1);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      std::array<uint8_t, 2048> datagram;
      while (!stop_)
        if (::recv(fd_, datagram.data(), datagram.size(), 0) > kRtpBytes) ++packets_;
    });
  }
  ~Counter() {
    stop_ = true;
    thread_.join();
    ::close(fd_);
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  uint16_t port() const { return port_; }
  uint64_t packets() const { return packets_; }

 private:
  static constexpr ssize_t kRtpBytes = 172;  // SRTP has a tag besides
  int fd_;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> packets_{0};
  std::thread thread_;
};

double cpu_ns_of(pid_t pid) {
  clockid_t clock = 0;
  timespec now{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &now) != 0) return 0;
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

// A relay with its callers and callees.
struct Path {
  using Start = Result<Relay> (*)(int, uint16_t, uint16_t);
  Path(Start start, int calls) : telephones(calls) {
    telephones.pause(true);
    auto started = start(calls, telephones.port(), counter.port());
    if (!started) {
      std::fprintf(stderr, "%s\n", started.error().text.c_str());
      std::exit(1);
    }
    relay = *std::move(started);
    telephones.connect(relay.ports);
  }
  double cpu_ns_per_packet() {
    telephones.pause(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const uint64_t before = counter.packets();
    const double cpu = cpu_ns_of(relay.measured);
    std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
    const double used = cpu_ns_of(relay.measured) - cpu;
    const uint64_t packets = counter.packets() - before;
    telephones.pause(true);
    if (packets == 0) {
      std::fprintf(stderr, "%s passes nothing on: %s\n", relay.name.c_str(), relay.log().c_str());
      std::exit(1);
    }
    const double due = double(relay.ports.size()) * kSeconds * 50;
    if (double(packets) < 0.9 * due)
      std::printf("too busy: %s passed %.0f of %.0f packets on\n", relay.name.c_str(), double(packets), due);
    return used / double(packets);
  }

  Counter counter;
  Telephones telephones;
  Relay relay;
};

}  // namespace

int main() {
  const char* wanted = std::getenv("BENCH_CALLS");
  const int calls = wanted ? std::atoi(wanted) : kDefaultCalls;
  Path patchbay(start_patchbay_relay, calls), rtpengine(start_rtpengine_relay, calls);
  std::printf("%d calls of 50 packets per second, G.711\n", calls);
  run_pairs("RTP to SRTP", "ns of processor time per packet",
            Side{"patchbay", [&] { return patchbay.cpu_ns_per_packet(); }},
            Side{"rtpengine", [&] { return rtpengine.cpu_ns_per_packet(); }});
}

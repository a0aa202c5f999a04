// Telephones: the far ends of all calls, on one UDP port. Each sends a packet of 160 octets every 20 ms,
// faint noise or loud, and records when it receives something loud.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/calls/pacer.h"

namespace patchbay::bench {

class Telephones {
 public:
  explicit Telephones(int max_calls);
  ~Telephones();
  Telephones(const Telephones&) = delete;
  Telephones& operator=(const Telephones&) = delete;

  uint16_t port() const { return port_; }
  // Sets the server's ports, one for each call, and starts sending there. A later one may add calls.
  void connect(const std::vector<uint16_t>& far_ports);
  void pause(bool paused) { paused_ = paused; }

  // [any thread] Makes all speak for 60 ms, from their next packets on.
  void speak();
  // When that packet was due, because a late packet waits less in the jitter buffer.
  int64_t spoke_ns(int call) const { return spoke_ns_[static_cast<size_t>(call)]; }
  // The time of the first loud packet since listen(); 0: none.
  void listen();
  int64_t heard_ns(int call) const { return heard_ns_[static_cast<size_t>(call)]; }
  // The number of packets received in all calls so far.
  uint64_t received() const { return received_; }

  // The gaps longer than kGap without a loud packet since watch(), for calls with continuous speech. A gap
  // that still continues counts up to now.
  struct Gap {
    int call = 0;
    int64_t from_ns = 0, to_ns = 0;
  };
  static constexpr int64_t kGapNs = 25'000'000;
  void watch();
  std::vector<Gap> gaps();

 private:
  size_t connected() const { return connected_.load(std::memory_order_acquire); }
  void send(int slot, int64_t due_ns);
  void receive();
  void heard_loud(size_t call, int64_t at_ns);

  int fd_ = -1;
  uint16_t port_ = 0;
  std::vector<std::atomic<uint16_t>> far_ports_;  // of the connected_ calls
  std::vector<std::atomic<int>> call_of_port_;    // plus 1; 0: none
  std::atomic<size_t> connected_{0};
  std::atomic<bool> paused_{false}, stop_{false};
  std::vector<std::atomic<int>> loud_left_;
  std::vector<std::atomic<int64_t>> spoke_ns_, heard_ns_;
  std::atomic<uint64_t> received_{0};
  uint16_t sequence_ = 0;  // of the pacer's thread
  std::mutex mutex_;
  std::vector<int64_t> last_loud_ns_;  // guarded by mutex_, as gaps_; 0: not watched
  std::vector<Gap> gaps_;
  std::array<uint8_t, 160> noise_{}, loud_{};
  std::thread receiver_;
  std::optional<Pacer> pacer_;
};

}  // namespace patchbay::bench

// PacedLoop: the same calls without a server, on one thread, as a reference. Every 20 ms, for each call,
// reads the packets and the engine's messages that have arrived, and answers each with one of the other kind.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace patchbay::bench {

// What the loop does between receiving and sending.
enum class LoopWork {
  // Decode, 8 to 16 kHz, base64 in JSON, mask; parse, base64, 24 to 8 kHz, encode. With the code of the
  // server, but no jitter buffer, RTCP, playout or call state.
  convert,
  // Nothing: sends prepared bytes of the same sizes. What remains is sockets and TLS.
  none,
};

class LoopCall;

class PacedLoop {
 public:
  // Connects `calls` times to the engine at 127.0.0.1:`engine_port`, and sends packets to `telephones_port`.
  PacedLoop(LoopWork work, int calls, int engine_port, uint16_t telephones_port);
  ~PacedLoop();
  PacedLoop(const PacedLoop&) = delete;
  PacedLoop& operator=(const PacedLoop&) = delete;

  std::vector<uint16_t> ports() const;

  struct Cost {
    double cpu_ns = 0;
    uint64_t frames = 0;  // both ways
  };
  // Processes the backlog, then measures for this long, on a new thread, whose processor time (including the
  // kernel's part) it returns.
  Cost run(double seconds);

 private:
  std::vector<std::unique_ptr<LoopCall>> calls_;
};

}  // namespace patchbay::bench

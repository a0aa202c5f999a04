// BareLoop: the unavoidable work of these calls on one thread, as a reference. Every 20 ms, for each call:
// receive the packet, decode it, 8 to 16 kHz, base64 in JSON, a masked WebSocket frame through TLS; read the
// engine's frame from TLS, parse it, base64, 24 to 8 kHz, encode, send the packet. No jitter buffer, RTCP,
// playout or call state.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace patchbay::bench {

class BareLoop {
 public:
  // Connects kCalls times to the engine at 127.0.0.1:`engine_port`, and sends packets to `telephones_port`.
  BareLoop(int engine_port, uint16_t telephones_port);
  ~BareLoop();
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  std::vector<uint16_t> ports() const;

  struct Cost {
    double cpu_ns = 0;
    uint64_t frames = 0;  // both ways
  };
  // Processes the backlog, then measures for this long, on a new thread, whose processor time (including the
  // kernel's part) it returns.
  Cost run(double seconds);

 private:
  struct Call;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace patchbay::bench

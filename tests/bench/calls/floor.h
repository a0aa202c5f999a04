// Floor: what a server of these calls cannot do without, and nothing else, on one thread. Every 20 ms, for
// each call: take the packet, decode it, 8 to 16 kHz, base64 in JSON, a masked WebSocket frame through TLS;
// take the engine's frame out of TLS, parse it, base64, 24 to 8 kHz, encode, send the packet. No jitter
// buffer, no RTCP, no playout, no call state.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace patchbay::bench {

class Floor {
 public:
  // Connects kCalls times to the engine at 127.0.0.1:`engine_port`, and sends packets to `telephones_port`.
  Floor(int engine_port, uint16_t telephones_port);
  ~Floor();
  Floor(const Floor&) = delete;
  Floor& operator=(const Floor&) = delete;

  std::vector<uint16_t> ports() const;

  struct Cost {
    double cpu_ns = 0;
    uint64_t frames = 0;  // both ways
  };
  // Works off what has piled up, then measures for so long. On a thread of its own, whose processor time
  // (the kernel's part included) it returns.
  Cost run(double seconds);

 private:
  struct Call;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace patchbay::bench

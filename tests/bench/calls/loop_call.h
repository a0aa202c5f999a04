// LoopCall: one call of a PacedLoop: a UDP socket connected to the telephones, and a WebSocket over TLS to
// the engine.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>

namespace patchbay::bench {

inline constexpr size_t kNarrowSamples = 160, kWideSamples = 320, kEngineSamples = 480;  // of 20 ms

// Where a call connects to.
struct LoopPeers {
  SSL_CTX* context;
  uint16_t engine_port, telephones_port;
};

class LoopCall {
 public:
  LoopCall(size_t number, const LoopPeers& peers);
  virtual ~LoopCall();
  LoopCall(const LoopCall&) = delete;
  LoopCall& operator=(const LoopCall&) = delete;

  uint16_t port() const;
  // Processes what has arrived. Returns the number of packets sent to the telephone.
  uint64_t carry();

 protected:
  virtual void on_packet(const uint8_t* datagram, size_t bytes) = 0;
  virtual uint64_t on_message(std::string_view json) = 0;  // returns the packets sent

  // A text frame as a client sends it, of less than 64 KiB, in `frame`.
  void mask(std::string& frame, std::string_view payload);
  void write(const std::string& frame);
  void send(const uint8_t* packet, size_t bytes);

 private:
  void upgrade();

  const int udp_, tcp_;
  SSL* const ssl_;
  std::minstd_rand random_;
  std::string received_;
};

std::unique_ptr<LoopCall> make_bare_call(size_t number, const LoopPeers& peers);
std::unique_ptr<LoopCall> make_socket_call(size_t number, const LoopPeers& peers);

}  // namespace patchbay::bench

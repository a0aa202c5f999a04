// Voice: the AI server for all calls, a TLS WebSocket server with the part of the Gemini Live protocol that a
// call needs. Sends 20 ms of speech in a message every 20 ms, or a burst, and records when it receives
// something loud. The setup of a connection names its call: "telephone 7.". All calls are on one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/calls/pacer.h"
#include "support/websocket_server.h"

namespace patchbay::bench {

class Voice {
 public:
  explicit Voice(int max_calls);
  ~Voice();

  std::string url() const;
  int port() const { return server_.port(); }
  const std::string& ca_file() const { return server_.ca_file(); }

  // The number of calls from which audio has arrived.
  int connected() const;
  // What it sends every 20 ms: nothing, a tone below kLoud, or one above.
  enum class Stream { none, soft, tone };
  void stream(Stream what) { stream_ = what; }
  // [any thread] Sends an answer of 200 ms on each call, in one message, then the end of the turn.
  void speak();
  // [any thread] Makes the next frame of each call's stream loud.
  void mark();
  int64_t spoke_ns(int call) const { return spoke_ns_[static_cast<size_t>(call)]; }
  // The time of the first loud audio since listen(); 0: none.
  void listen();
  int64_t heard_ns(int call) const { return heard_ns_[static_cast<size_t>(call)]; }
  // How many 20 ms of audio were received in all calls so far, in any number of messages.
  uint64_t received() const { return received_bytes_ / kFrameBytes; }

 private:
  static constexpr uint64_t kFrameBytes = 640;  // 16 kHz
  using Peer = std::shared_ptr<support::WsPeer>;
  enum class Next { stream, tone, burst };
  support::WsServer::Script script();
  void receive(const Peer& peer, std::string_view text);
  void hear(size_t call, std::string_view base64, int64_t at_ns);
  void set_up(const Peer& peer, std::string_view text);
  void send(int slot);

  const std::string tone_, soft_, burst_;
  std::atomic<Stream> stream_{Stream::none};
  std::vector<std::atomic<Next>> next_;
  std::vector<std::atomic<bool>> heard_any_;
  std::vector<std::atomic<int64_t>> spoke_ns_, heard_ns_;
  std::atomic<uint64_t> received_bytes_{0};
  support::WsServer server_;
  std::vector<Peer> peers_;  // of the server's thread; destroyed before their server
  std::optional<Pacer> pacer_;
};

}  // namespace patchbay::bench

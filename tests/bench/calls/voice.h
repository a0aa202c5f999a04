// Voice: the AI server for all calls, a TLS WebSocket server with the part of the Gemini Live protocol that a
// call needs. Sends 20 ms of speech in a message every 20 ms, or a burst, and records when it receives
// something loud. The setup of a connection names its call: "telephone 7.".
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "bench/calls/pacer.h"
#include "support/websocket_server.h"

namespace patchbay::bench {

class Voice {
 public:
  Voice();

  std::string url() const;
  int port() const { return server_.port(); }
  const std::string& ca_file() const { return server_.ca_file(); }

  // The number of calls from which audio has arrived.
  int connected() const;
  void stream(bool on) { streaming_ = on; }
  // [any thread] Sends an answer of 200 ms on each call, in one message, then the end of the turn.
  void speak();
  int64_t spoke_ns(int call) const { return spoke_ns_[static_cast<size_t>(call)]; }
  // The time of the first loud audio since listen(); 0: none.
  void listen();
  int64_t heard_ns(int call) const { return heard_ns_[static_cast<size_t>(call)]; }
  // The number of audio messages received in all calls so far.
  uint64_t received() const { return received_; }

 private:
  using Peer = std::shared_ptr<support::WsPeer>;
  support::WsServer::Script script();
  void receive(const Peer& peer, std::string_view text);
  void set_up(const Peer& peer, std::string_view text);
  void send(int slot);

  const std::string frame_, burst_;
  std::atomic<bool> streaming_{false};
  std::array<std::atomic<bool>, kCalls> speaks_{}, heard_any_{};
  std::array<std::atomic<int64_t>, kCalls> spoke_ns_{}, heard_ns_{};
  std::atomic<uint64_t> received_{0};
  support::WsServer server_;
  std::mutex mutex_;
  std::array<Peer, kCalls> peers_;  // guarded by mutex_; destroyed before their server
  std::optional<Pacer> pacer_;
};

}  // namespace patchbay::bench

// Two sessions of ours, and a network between them that a test controls.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "dtls/dtls_transport.h"

namespace patchbay::lib {

using Datagrams = std::deque<std::vector<uint8_t>>;
using State = DtlsTransport::State;

inline int64_t mono_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline std::shared_ptr<const DtlsCertificate> new_certificate() { return *DtlsCertificate::create(); }

struct DtlsPeers {
  std::shared_ptr<const DtlsCertificate> client_certificate = new_certificate();
  std::shared_ptr<const DtlsCertificate> server_certificate = new_certificate();
  DtlsOptions client_options{.role = DtlsRole::client,
                             .peer_fingerprints = {server_certificate->fingerprint()},
                             .first_retransmission_ms = 20};
  DtlsOptions server_options{.role = DtlsRole::server,
                             .peer_fingerprints = {client_certificate->fingerprint()},
                             .first_retransmission_ms = 20};
  // Changes what is under way to one side.
  std::function<void(Datagrams&)> disturb = [](Datagrams&) {};
  std::unique_ptr<DtlsTransport> client, server;
  Datagrams to_server, to_client;

  void start() {
    client = *DtlsTransport::create(client_certificate, client_options, mono_ns());
    server = *DtlsTransport::create(server_certificate, server_options, mono_ns());
  }

  // Runs until both are done, and the network is empty.
  void run() {
    if (!client) start();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end) {
      collect();
      const bool is_idle = to_server.empty() && to_client.empty();
      if (is_idle && client->state() != State::handshake && server->state() != State::handshake) return;
      if (is_idle) wait_for_timer();
      disturb(to_server);
      disturb(to_client);
      deliver(to_server, *server);
      deliver(to_client, *client);
    }
    FAIL("the handshake did not end");
  }

  void collect() {
    for (auto out = client->take_outgoing(); !out.empty(); out = client->take_outgoing())
      to_server.push_back(std::move(out));
    for (auto out = server->take_outgoing(); !out.empty(); out = server->take_outgoing())
      to_client.push_back(std::move(out));
  }

  static void deliver(Datagrams& datagrams, DtlsTransport& to) {
    for (; !datagrams.empty(); datagrams.pop_front()) to.receive(datagrams.front(), mono_ns());
  }

  void wait_for_timer() {
    int64_t due = INT64_MAX;
    for (const DtlsTransport* one : {client.get(), server.get()})
      if (const auto at = one->timer_due_ns(mono_ns())) due = std::min(due, *at);
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::max<int64_t>(0, due - mono_ns())));
    client->on_timer(mono_ns());
    server->on_timer(mono_ns());
  }

  void check_connected() const {
    CHECK(client->state() == State::connected);
    CHECK(server->state() == State::connected);
    REQUIRE(client->keys());
    REQUIRE(server->keys());
    CHECK(client->keys()->sent == server->keys()->received);
    CHECK(client->keys()->received == server->keys()->sent);
    CHECK_FALSE(client->keys()->sent == client->keys()->received);
  }
};

}  // namespace patchbay::lib

// A server with the plugin, and a call in it whose far end is played by the test.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/services/telephony.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>

#include "raw_peer.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"
#include "support/within.h"

namespace patchbay::test {

inline const char kAnswer[] =
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n";

inline std::string server_config(const std::string& trunks, const std::string& more = "") {
  return "plugins:\n  media: {}\n  probe: {}\n  sip-trunk: {listenPort: 0, requireGate: false, "
         "silenceTimeoutMs: 2000" +
         more + "}\ntenants:\n  acme.example:\n    sip-trunk:\n      trunks: [" + trunks +
         "]\n      outboundRoutes: [{match: global, trunkIds: [a, b]}]\n";
}

inline std::string trunk_entry(const std::string& id, const std::string& host, uint16_t port) {
  return "{id: " + id + ", host: " + host + ", port: " + std::to_string(port) + "}";
}

// The owner of a call: dials and listens on the probe's strand.
struct Owner {
  void dial(const std::string& number = "+4930123456", const std::string& call_id = "oac-0123456789ab") {
    std::promise<Result<telephony::Dialled>> dialled;
    probe::run([&](const Host& host) {
      listener = std::make_unique<Provision<telephony::LegListener>>(host);
      listener
          ->on(telephony::LegListener::progress,
               [](const telephony::Progress&) -> Result<Empty> { return Empty{}; })
          .on(telephony::LegListener::digit, [](const telephony::Digit&) -> Result<Empty> { return Empty{}; })
          .on(telephony::LegListener::answered,
              [this](const telephony::Answered& what) -> Result<Empty> {
                answered.set_value(what);
                return Empty{};
              })
          .on(telephony::LegListener::ended, [this](const telephony::Ended& what) -> Result<Empty> {
            ended.set_value(what);
            return Empty{};
          });
      service = std::make_unique<Service<telephony::Telephony>>(host);
      telephony::Dial request;
      request.call_id = call_id;
      request.tenant = "acme.example";
      request.number = number;
      request.ring_timeout_ms = 500;
      request.listener = listener->handle();
      request.correlation = "c";
      service->call(telephony::Telephony::dial, request,
                    [&](const Result<telephony::Dialled>& result) { dialled.set_value(result); });
    });
    const auto result = probe::wait(dialled.get_future());
    REQUIRE(result);
    leg = result->leg;
  }
  void go() {
    std::promise<Result<int>> gone;
    probe::run([&](const Host&) {
      listener.reset();
      service.reset();
      gone.set_value(0);
    });
    CHECK(probe::wait(gone.get_future()));
  }
  Handle leg;
  std::unique_ptr<Provision<telephony::LegListener>> listener;
  std::unique_ptr<Service<telephony::Telephony>> service;
  std::promise<Result<telephony::Answered>> answered;
  std::promise<Result<telephony::Ended>> ended;
};

// Returns the server's SIP port.
inline uint16_t sip_port(TestServer& server) {
  const std::string log = server.log();
  const size_t line = log.rfind("listening for SIP");
  REQUIRE(line != std::string::npos);
  const size_t begin = log.find("address=", line);
  const size_t end = log.find_first_of(" \n", begin);
  REQUIRE(end != std::string::npos);
  return static_cast<uint16_t>(std::strtoul(log.c_str() + log.rfind(':', end) + 1, nullptr, 10));
}

// Waits up to half a minute until the server's metrics have this line.
inline bool wait_metric(TestServer& server, const std::string& line) {
  return within(std::chrono::seconds(30), [&] {
    return ("\n" + server.core().report("metrics")).find("\n" + line + "\n") != std::string::npos;
  });
}

inline bool wait_no_legs(TestServer& server) { return wait_metric(server, "patchbay_sip_trunk_legs 0"); }

// A server whose first trunk is one peer, and a call that rings there. The second trunk, for failures of the
// first, is the same peer unless `other` has another address.
struct RingingCall {
  explicit RingingCall(const std::string& settings = "", const std::string& other = "")
      : server(
            server_config(trunk_entry("a", "127.0.0.1", peer.port()) + ", " + second_trunk(other), settings),
            nullptr, {probe::http_entry()}) {
    REQUIRE(server.start_error() == "");
    owner.dial();
    invite = peer.receive("INVITE ", 20'000);
    REQUIRE_FALSE(invite.empty());
  }
  void answer() {
    peer.send(sip_port(server), answer_to(invite, "200 OK", "sip:" + peer.address(), "", kAnswer));
    REQUIRE(probe::wait(owner.answered.get_future()));
  }

  std::string second_trunk(const std::string& other) const {
    const size_t colon = other.find(':');
    if (colon == std::string::npos) return trunk_entry("b", "127.0.0.1", peer.port());
    return trunk_entry("b", other.substr(0, colon),
                       static_cast<uint16_t>(std::stoi(other.substr(colon + 1))));
  }

  RawPeer peer;
  TestServer server;
  Owner owner;
  std::string invite;
};

}  // namespace patchbay::test

#include "secure/dtls_leg.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

using namespace patchbay;
using namespace patchbay::sip_trunk;
using testing::why;

namespace {

const lib::SocketAddress kPeer = *lib::SocketAddress::parse("192.0.2.9", 5000);

// A session as the client, whose peer never answers.
struct UnansweredLeg {
  UnansweredLeg() {
    environment.run([this] {
      DtlsLeg::Callbacks callbacks;
      callbacks.send = [this](const lib::SocketAddress& to, const std::vector<uint8_t>&) {
        sent.push_back(to);
      };
      callbacks.on_keys = [](const lib::DtlsSrtpKeys&) {};
      callbacks.on_failed = [this](const std::string& what) { failure = what; };
      leg = std::make_unique<DtlsLeg>(environment.host(), std::move(callbacks));
      leg->start({*lib::DtlsCertificate::create(),
                  lib::DtlsRole::client,
                  {(*lib::DtlsCertificate::create())->fingerprint()},
                  kPeer,
                  {}});
    });
  }
  ~UnansweredLeg() {
    environment.run([this] { leg.reset(); });
  }
  void receive(const std::vector<uint8_t>& bytes, const lib::SocketAddress& sender) {
    auto datagram = std::make_unique<lib::Datagram>();
    std::copy(bytes.begin(), bytes.end(), datagram->data.begin());
    datagram->size = bytes.size();
    datagram->sender = sender;
    environment.run([&] { leg->receive(*datagram); });
  }

  testing::TestEnvironment environment;
  std::unique_ptr<DtlsLeg> leg;
  std::vector<lib::SocketAddress> sent;
  std::string failure;
};

}  // namespace

TEST_CASE("datagrams that are no part of the handshake neither redirect nor end it") {
  UnansweredLeg call;
  REQUIRE(call.sent.size() == 1);
  const auto receive_junk = [&] { call.receive(std::vector<uint8_t>(50, 22), kPeer.with_port(6000)); };
  for (int i = 0; i < 1000; ++i) receive_junk();
  CHECK(call.failure == "");
  // OpenSSL repeats the first message by its own clock, after 400 ms and then 800 ms: by the timer, or with
  // the next datagram from any sender.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (call.sent.size() < 3 && call.failure.empty() && std::chrono::steady_clock::now() < end) {
    if (call.sent.size() == 1)
      receive_junk();
    else
      REQUIRE(why(call.environment.advance_ms(1)) == "");
  }
  REQUIRE(call.sent.size() >= 3);
  for (const auto& to : call.sent) CHECK(to == kPeer);
}

#include "dtls/dtls_transport.h"

#include <algorithm>

#include "plugins/lib/dtls/dtls_peers.h"

using namespace patchbay;
using namespace patchbay::lib;

TEST_CASE("client and server agree on the keys of both directions") {
  for (const bool cookie : {false, true}) {
    DtlsPeers peers;
    peers.server_options.cookie = cookie;
    peers.run();
    peers.check_connected();
    CHECK(peers.client->keys()->sent.profile() == SrtpProfile::aead_aes128_gcm);
  }
}

TEST_CASE("the server chooses its most preferred profile that the client has, too") {
  for (const SrtpProfileInfo& profile : kSrtpProfiles) {
    DtlsPeers peers;
    peers.client_options.profiles = {profile.profile};
    peers.server_options.profiles = {SrtpProfile::aead_aes256_gcm, SrtpProfile::aes128_cm_sha1_32,
                                     SrtpProfile::aes128_cm_sha1_80, SrtpProfile::aead_aes128_gcm};
    peers.run();
    peers.check_connected();
    CHECK(peers.server->keys()->sent.profile() == profile.profile);
  }
}

TEST_CASE("without a common profile the handshake fails") {
  DtlsPeers peers;
  peers.client_options.profiles = {SrtpProfile::aes128_cm_sha1_80};
  peers.server_options.profiles = {SrtpProfile::aead_aes128_gcm};
  peers.server_options.max_handshake_ms = peers.client_options.max_handshake_ms = 300;
  peers.run();
  CHECK(peers.client->state() == State::failed);
  CHECK(peers.server->state() == State::failed);
  CHECK_FALSE(peers.client->keys());
}

TEST_CASE("no datagram is larger than the MTU, also when a message is") {
  DtlsPeers peers;
  peers.client_options.mtu = peers.server_options.mtu = 300;
  size_t largest = 0;
  size_t count = 0;
  peers.disturb = [&](Datagrams& datagrams) {
    count += datagrams.size();
    for (const auto& datagram : datagrams) largest = std::max(largest, datagram.size());
  };
  peers.run();
  peers.check_connected();
  CHECK(largest <= 300);
  CHECK(count > 8);
}

TEST_CASE("any of several fingerprints may match, with any of the hashes") {
  DtlsPeers peers;
  const Fingerprint other = new_certificate()->fingerprint();
  peers.client_options.peer_fingerprints = {other, peers.server_certificate->fingerprint()};
  peers.server_options.peer_fingerprints = {peers.client_certificate->fingerprint(), other};
  peers.run();
  peers.check_connected();
}

TEST_CASE("a certificate that the SDP does not name ends the session on both sides") {
  for (const bool is_client_wrong : {false, true}) {
    DtlsPeers peers;
    (is_client_wrong ? peers.server_options : peers.client_options).peer_fingerprints = {
        new_certificate()->fingerprint()};
    peers.server_options.max_handshake_ms = peers.client_options.max_handshake_ms = 500;
    peers.run();
    CHECK(peers.client->state() == State::failed);
    CHECK(peers.server->state() == State::failed);
    const DtlsTransport& checker = is_client_wrong ? *peers.server : *peers.client;
    CHECK(checker.failure() == "the peer's DTLS certificate is not the one whose fingerprint its SDP names");
    CHECK_FALSE(checker.keys());
  }
}

TEST_CASE("handshakes end well although datagrams are lost, repeated and reordered") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    DtlsPeers peers;
    peers.client_options.mtu = peers.server_options.mtu = 400;
    peers.client_options.max_handshake_ms = peers.server_options.max_handshake_ms = 50'000;
    peers.server_options.cookie = seed % 2 == 0;
    std::mt19937 random(seed);
    peers.disturb = [&](Datagrams& datagrams) {
      Datagrams out;
      for (auto& datagram : datagrams) {
        if (random() % 10 < 2) continue;
        if (random() % 10 < 2) out.push_back(datagram);
        out.push_back(std::move(datagram));
      }
      std::shuffle(out.begin(), out.end(), random);
      datagrams = std::move(out);
    };
    peers.start();
    while (peers.client->state() == State::handshake || peers.server->state() == State::handshake) {
      // The side that is done answers repeated messages of the other one.
      peers.run();
    }
    peers.check_connected();
  }
}

TEST_CASE("a handshake without an answer ends at its time limit") {
  DtlsPeers peers;
  peers.client_options.max_handshake_ms = peers.server_options.max_handshake_ms = 200;
  peers.disturb = [](Datagrams& datagrams) { datagrams.clear(); };
  peers.run();
  CHECK(peers.client->state() == State::failed);
  CHECK(peers.server->failure() == "the peer sent no DTLS within 0 s");
  CHECK_FALSE(peers.client->timer_due_ns(mono_ns()));
}

TEST_CASE("a flood of datagrams does not end a handshake") {
  DtlsPeers peers;
  peers.start();
  const std::vector<uint8_t> garbage(50, 22);
  for (size_t i = 0; i <= 2 * DtlsTransport::kMaxHandshakeSteps; ++i) {
    CHECK_FALSE(peers.server->receive(garbage, mono_ns()));
    CHECK_FALSE(peers.client->receive(garbage, mono_ns()));
  }
  peers.run();
  peers.check_connected();
}

TEST_CASE("a forged close_notify during the handshake does not end it") {
  for (const bool cookie : {false, true}) {
    DtlsPeers peers;
    peers.server_options.cookie = cookie;
    const std::vector<uint8_t> close_notify = {21, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 0};
    peers.disturb = [&](Datagrams& datagrams) {
      for (size_t i = 0; i < datagrams.size(); i += 2)
        datagrams.insert(datagrams.begin() + static_cast<std::ptrdiff_t>(i), close_notify);
    };
    peers.run();
    peers.check_connected();
  }
}

TEST_CASE("garbage before, during and after the handshake changes nothing") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    DtlsPeers peers;
    std::mt19937 random(seed);
    const auto garbage = [&] {
      std::vector<uint8_t> bytes(1 + random() % 300);
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
      if (random() % 2 == 0) bytes[0] = static_cast<uint8_t>(20 + random() % 4);
      if (bytes.size() > 13 && random() % 2 == 0) {
        bytes[1] = 0xFE;
        bytes[2] = 0xFD;
        bytes[3] = bytes[4] = 0;
        bytes[11] = 0;
        bytes[12] = static_cast<uint8_t>(bytes.size() - 13);
        if (bytes[0] == 21)
          bytes[0] = 22;  // an alert in the clear may end a handshake (RFC 6347 section 4.1.2.7)
      }
      return bytes;
    };
    peers.disturb = [&](Datagrams& datagrams) {
      if (!datagrams.empty() && random() % 2 == 0) datagrams.push_back({std::vector<uint8_t>(3000, 22)});
    };
    peers.start();
    for (int i = 0; i < 20; ++i) peers.server->receive(garbage(), mono_ns());
    peers.run();
    peers.check_connected();
    for (int i = 0; i < 1000; ++i) {
      peers.server->receive(garbage(), mono_ns());
      peers.client->receive(garbage(), mono_ns());
    }
    peers.check_connected();
  }
}

TEST_CASE("a forged ClientHello without a cookie leaves no state") {
  DtlsPeers peers;
  peers.start();
  // The first flight of other clients, which do not get the answer.
  for (int i = 0; i < 20; ++i) {
    const auto stranger = *DtlsTransport::create(new_certificate(), peers.client_options, mono_ns());
    peers.server->receive(stranger->take_outgoing(), mono_ns());
    while (!peers.server->take_outgoing().empty()) {
    }
  }
  peers.run();
  peers.check_connected();
}

namespace {

// The first flight of a client that has only TLS_NULL_WITH_NULL_NULL.
std::vector<uint8_t> null_cipher_hello(const DtlsOptions& options) {
  auto hello = (*DtlsTransport::create(new_certificate(), options, mono_ns()))->take_outgoing();
  // After 13 + 12 bytes of headers come version, random, empty session id and empty cookie.
  const size_t ciphers = 13 + 12 + 2 + 32 + 1 + 1;
  const size_t bytes = static_cast<size_t>(hello[ciphers]) << 8 | hello[ciphers + 1];
  std::fill_n(hello.begin() + ciphers + 2, bytes, uint8_t{0});
  return hello;
}

}  // namespace

TEST_CASE("a client with other ciphers does not end the server's handshake") {
  DtlsPeers peers;
  peers.server_options.cookie = false;
  peers.start();
  peers.server->receive(null_cipher_hello(peers.client_options), mono_ns());
  CHECK(peers.server->state() == State::handshake);
  peers.server->take_outgoing();  // the alert
  peers.run();
  peers.check_connected();
}

// Even from the peer's own address; datagrams from others do not come so far.
TEST_CASE("M3: a ClientHello with TLS_NULL before, during and after each of 100 handshakes loses none") {
  DtlsPeers options;
  const std::vector<uint8_t> hello = null_cipher_hello(options.client_options);
  for (int i = 0; i < 100; ++i) {
    DtlsPeers peers;
    peers.start();
    peers.disturb = [&](Datagrams& datagrams) {
      if (&datagrams == &peers.to_server) datagrams.push_front(hello);
    };
    peers.run();
    peers.server->receive(hello, mono_ns());
    peers.check_connected();
  }
}

TEST_CASE("the end of a session is reported to the peer") {
  DtlsPeers peers;
  peers.run();
  peers.client->close();
  peers.collect();
  REQUIRE(peers.to_server.size() == 1);
  peers.deliver(peers.to_server, *peers.server);
  CHECK(peers.server->state() == State::closed);
  CHECK(peers.server->keys());
}

TEST_CASE("the certificate is replaced after a day, and sessions keep theirs") {
  DtlsCertificates certificates;
  const auto first = *certificates.current(0);
  CHECK(*certificates.current(3600LL * 1'000'000'000) == first);
  const auto second = *certificates.current(25LL * 3600 * 1'000'000'000);
  CHECK(second != first);
  CHECK_FALSE(second->fingerprint() == first->fingerprint());
}

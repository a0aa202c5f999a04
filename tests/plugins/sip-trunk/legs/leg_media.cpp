// The audio of a call with DTLS, whose peer has a socket and a session of the test.
#include "legs/leg_media.h"

#include <doctest/doctest.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_port.h>

#include <memory>
#include <string>

using namespace patchbay;
using namespace patchbay::sip_trunk;
using testing::why;
using Channel = lib::RtpSocket::Channel;

namespace {

lib::SocketAddress loopback(uint16_t port = 0) { return *lib::SocketAddress::parse("127.0.0.1", port); }

ServerSettings server_settings() {
  ServerSettings server;
  server.media_ip = "127.0.0.1";
  server.jitter = {40, 200};
  server.no_media_timeout_ms = 60'000;
  server.secure_media = std::make_shared<SecureMedia>();
  return server;
}

// A call of a peer that is the client of DTLS.
struct DtlsCall {
  DtlsCall()
      : peer(*lib::RtpSocket::open(loopback(), 0, 0)), other(environment.make<testing::FakePort>(8000)) {
    environment.run([this] {
      media = std::make_unique<LegMedia>(
          environment.host(), server, [](char) {}, [this](const std::string& what) { failure = what; });
      REQUIRE(media->open());
      TrunkAccess trunk;
      trunk.srtp = lib::SrtpPolicy::required;
      REQUIRE(media->use_security(trunk, Log(environment.host())));
      REQUIRE(media->negotiation().answer_invite(loopback(5060), {}, offer()));
      leg_port = media->open_port();
      other_port = other.open(environment.host());
    });
    const auto joined = environment.call<audio::Audio>(audio::Audio::join, {leg_port, other_port, ""});
    REQUIRE(joined.ok());
    join_id = joined->join;
  }
  ~DtlsCall() {
    CHECK(environment.call<audio::Audio>(audio::Audio::leave, {join_id}).ok());
    environment.run([this] { media->close([this] { is_closed = true; }); });
    CHECK(why(environment.settle()) == "");
    CHECK(is_closed);
    environment.run([this] { media.reset(); });
  }

  std::string offer(const std::string& ip = "127.0.0.1") const {
    return "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 " + ip + "\r\nt=0 0\r\nm=audio " +
           std::to_string(peer.rtp_port()) +
           " UDP/TLS/RTP/SAVP 8\r\na=rtcp-mux\r\na=fingerprint:" + to_text(certificate->fingerprint()) +
           "\r\na=setup:active\r\n";
  }
  // A handshake of the peer as the client.
  void shake_hands() {
    const auto answer = media->negotiation().answer(offer());
    REQUIRE(answer);
    const size_t at = answer->find("a=fingerprint:") + 14;
    lib::DtlsOptions options;
    options.peer_fingerprints = {*lib::parse_fingerprint(answer->substr(at, answer->find("\r\n", at) - at))};
    const size_t port_at = answer->find("m=audio ") + 8;
    const auto to = loopback(static_cast<uint16_t>(std::stoi(answer->substr(port_at))));
    session = *lib::DtlsTransport::create(certificate, options, environment.host().mono_ns());
    for (int i = 0; i < 200 && session->state() == lib::DtlsTransport::State::handshake; ++i) {
      for (auto out = session->take_outgoing(); !out.empty(); out = session->take_outgoing())
        REQUIRE(peer.send(Channel::rtp, to, out.data(), out.size()));
      advance_ms(20);
      lib::Datagram datagram;
      while (peer.receive(Channel::rtp, datagram))
        session->receive({datagram.data.data(), datagram.size}, environment.host().mono_ns());
    }
    REQUIRE(session->state() == lib::DtlsTransport::State::connected);
    advance_ms(20);
  }
  void advance_ms(int64_t ms) { REQUIRE(why(environment.advance_ms(ms)) == ""); }
  std::string encryption() const { return media->negotiation().encryption().first; }

  testing::TestEnvironment environment;
  testing::FakeAudio audio{environment};
  const ServerSettings server = server_settings();
  std::shared_ptr<const lib::DtlsCertificate> certificate = *lib::DtlsCertificate::create();
  lib::RtpSocket peer;
  testing::FakePort& other;
  std::unique_ptr<LegMedia> media;
  std::unique_ptr<lib::DtlsTransport> session;
  Handle leg_port, other_port;
  int64_t join_id = 0;
  std::string failure;
  bool is_closed = false;
};

}  // namespace

TEST_CASE("a first DTLS handshake that fails ends the call") {
  DtlsCall call;
  call.advance_ms(16'000);
  CHECK(call.failure == "the peer sent no DTLS within 15 s");
}

TEST_CASE("a later DTLS handshake that fails leaves the call its keys") {
  DtlsCall call;
  call.shake_hands();
  CHECK(call.encryption() == "dtls");
  call.certificate = *lib::DtlsCertificate::create();  // of a new session, which the peer does not begin
  REQUIRE(call.media->negotiation().answer(call.offer()));
  call.advance_ms(16'000);
  CHECK(call.failure == "");
  CHECK(call.encryption() == "dtls");
}

TEST_CASE("a hold by 0.0.0.0 leaves a call with DTLS its keys") {
  DtlsCall call;
  call.shake_hands();
  REQUIRE(call.media->negotiation().answer(call.offer("0.0.0.0")));
  call.advance_ms(16'000);
  CHECK(call.failure == "");
  REQUIRE(call.media->negotiation().answer(call.offer()));
  call.advance_ms(16'000);
  CHECK(call.failure == "");
  CHECK(call.encryption() == "dtls");
}

// Offers and answers of one call, one after another, with the SDP of a peer that the test writes.
#include "legs/media_setup.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <memory>
#include <string>
#include <vector>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

const lib::SocketAddress kTrunk = *lib::SocketAddress::parse("192.0.2.9", 5060);
const std::string kTheirFingerprint =
    "sha-256 AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB";
const std::string kTheirGcm = "AEAD_AES_128_GCM inline:" + std::string(38, 'A') + "==";
const std::string kTheirCm = "AES_CM_128_HMAC_SHA1_80 inline:" + std::string(40, 'A');

std::string their_sdp(const std::string& ip, const std::string& protocol, const std::string& attributes) {
  return "v=0\r\no=- 1 1 IN IP4 " + ip + "\r\ns=-\r\nc=IN IP4 " + ip + "\r\nt=0 0\r\nm=audio 5000 " +
         protocol + " 8\r\na=rtcp-mux\r\n" + attributes + "\r\n";
}
std::string their_dtls(const std::string& setup, const std::string& ip = "192.0.2.9") {
  return their_sdp(ip, "UDP/TLS/RTP/SAVP", "a=fingerprint:" + kTheirFingerprint + "\r\na=setup:" + setup);
}
std::string their_crypto(int tag, const std::string& suite) {
  return their_sdp("192.0.2.9", "RTP/AVP", "a=crypto:" + std::to_string(tag) + " " + suite);
}

// The a=crypto line with this tag in our SDP.
std::string crypto_line(const std::string& sdp, int tag) {
  const size_t at = sdp.find("a=crypto:" + std::to_string(tag) + " ");
  REQUIRE(at != std::string::npos);
  return sdp.substr(at, sdp.find("\r\n", at) - at);
}

// A call to a trunk.
struct Negotiation {
  explicit Negotiation(lib::SrtpPolicy policy = lib::SrtpPolicy::off,
                       lib::SrtpKeying keying = lib::SrtpKeying::sdes)
      : watch(environment.host(), 5000, [](const std::string&) {}) {
    ServerSettings server;
    server.media_ip = "0.0.0.0";
    server.secure_media = std::make_shared<SecureMedia>();
    lib::AudioStream::Options options;
    options.now_ns = environment.host().mono_ns();
    const auto any = *lib::SocketAddress::parse("127.0.0.1", 0);
    port =
        std::make_unique<LegPort>(environment.host(), *lib::RtpSocket::open(any, 0, 0), options, [](char) {});
    setup = std::make_unique<MediaSetup>(server, *port, watch);
    setup->on_dtls(sink, [this](const DtlsAgreement& made) { sessions.push_back(made); });
    TrunkAccess trunk;
    trunk.srtp = policy;
    trunk.srtp_keying = keying;
    REQUIRE(setup->use_security(trunk, environment.host().mono_ns()));
  }
  std::string offer() { return setup->offer(kTrunk, {}); }
  std::string refusal(const std::string& sdp) {
    const auto answer = setup->answer(sdp);
    return answer ? "" : answer.error().text;
  }

  struct NoSink final : lib::DtlsSink {
    void on_dtls(const lib::Datagram&) noexcept override {}
  };

  testing::TestEnvironment environment;
  NoSink sink;
  MediaWatch watch;
  std::unique_ptr<LegPort> port;
  std::unique_ptr<MediaSetup> setup;
  std::vector<DtlsAgreement> sessions;
};

std::string refusal_of_invite(const std::string& sdp) {
  Negotiation call;
  const auto answer = call.setup->answer_invite(kTrunk, {}, sdp);
  return answer ? "" : answer.error().text;
}

}  // namespace

TEST_CASE("a peer that holds the call by 0.0.0.0 starts no DTLS session") {
  Negotiation call(lib::SrtpPolicy::required, lib::SrtpKeying::dtls);
  call.offer();
  REQUIRE(call.setup->apply_first_answer(their_dtls("active"), "192.0.2.9"));
  CHECK(call.refusal(their_dtls("actpass", "0.0.0.0")) == "");
  REQUIRE(call.sessions.size() == 1);
  CHECK(call.refusal(their_dtls("actpass")) == "");
  REQUIRE(call.sessions.size() == 2);
  CHECK(call.sessions[1].remote == call.sessions[0].remote);
  CHECK(call.sessions[1].agreed.setup == lib::DtlsSetup::passive);  // as before, so the session goes on
}

TEST_CASE("a key of SDES is not offered again once its indices are forgotten") {
  Negotiation call(lib::SrtpPolicy::optional);
  const std::string used = crypto_line(call.offer(), 1);
  REQUIRE(call.setup->apply_first_answer(their_crypto(1, kTheirGcm), "192.0.2.9"));
  CHECK(crypto_line(call.setup->reoffer(true), 1) == used);  // in use
  REQUIRE(call.setup->reoffer_answered(200, their_crypto(1, kTheirGcm)));
  CHECK(call.refusal(their_sdp("192.0.2.9", "RTP/AVP", "a=sendrecv")) == "");
  CHECK(crypto_line(call.setup->reoffer(true), 1) != used);
}

TEST_CASE("a key of SDES is not offered again after the peer has chosen another line") {
  Negotiation call(lib::SrtpPolicy::required);
  const std::string first_offer = call.offer();
  REQUIRE(call.setup->apply_first_answer(their_crypto(1, kTheirGcm), "192.0.2.9"));
  call.setup->reoffer(true);
  REQUIRE(call.setup->reoffer_answered(200, their_crypto(2, kTheirCm)));
  const std::string second_offer = call.setup->reoffer(false);
  CHECK(crypto_line(second_offer, 1) != crypto_line(first_offer, 1));
  CHECK(crypto_line(second_offer, 2) == crypto_line(first_offer, 2));
}

TEST_CASE("an address that only sends must be a possible one, too, because it gets RTCP and DTLS") {
  for (const char* mode : {"a=sendrecv", "a=sendonly", "a=recvonly", "a=inactive"}) {
    CAPTURE(std::string(mode));
    for (const char* ip : {"127.0.0.1", "169.254.169.254", "255.255.255.255", "0.0.0.1"}) {
      CAPTURE(std::string(ip));
      CHECK(refusal_of_invite(their_sdp(ip, "RTP/AVP", mode)).find("is not a possible address") !=
            std::string::npos);
    }
    CHECK(refusal_of_invite(their_sdp("0.0.0.0", "RTP/AVP", mode)) == "");
    CHECK(refusal_of_invite(their_sdp("192.0.2.9", "RTP/AVP", mode)) == "");
  }
}

TEST_CASE("a re-INVITE that is sooner than the strand is applied after the first answer") {
  Negotiation call(lib::SrtpPolicy::required, lib::SrtpKeying::dtls);
  call.offer();
  const std::string first = their_dtls("active");
  call.setup->keep_first_answer(first, "192.0.2.9");
  CHECK(call.refusal(their_dtls("active", "192.0.2.10")) == "");
  REQUIRE(call.setup->apply_first_answer(first, "192.0.2.9"));
  REQUIRE(call.sessions.size() == 2);
  CHECK(call.sessions[0].remote.ip_text() == "192.0.2.9");
  CHECK(call.sessions[1].remote.ip_text() == "192.0.2.10");
}

TEST_CASE("a first answer that a re-INVITE has found to be unusable is reported as that") {
  Negotiation call(lib::SrtpPolicy::required, lib::SrtpKeying::dtls);
  call.offer();
  const std::string first = their_sdp("192.0.2.9", "RTP/AVP", "a=sendrecv");
  call.setup->keep_first_answer(first, "192.0.2.9");
  CHECK(call.refusal(their_dtls("active")) == "");
  CHECK_FALSE(call.setup->apply_first_answer(first, "192.0.2.9"));
}

TEST_CASE("silence is suppressed when the trunk's setting and the peer's SDP both have comfort noise") {
  for (const bool is_set : {false, true})
    for (const bool is_agreed : {false, true}) {
      CAPTURE(is_set);
      CAPTURE(is_agreed);
      Negotiation call;
      TrunkMedia allowed;
      allowed.comfort_noise = true;
      allowed.suppress_silence = is_set;
      const auto trunk = *lib::SocketAddress::parse("127.0.0.1", 5060);
      std::string sdp = their_sdp("127.0.0.1", "RTP/AVP", "a=sendrecv");
      if (is_agreed) sdp.replace(sdp.find(" 8\r\n"), 4, " 8 13\r\n");
      CHECK(call.setup->offer(trunk, allowed).find("a=rtpmap:13 CN/8000") != std::string::npos);
      REQUIRE(call.setup->apply_first_answer(sdp, "127.0.0.1"));
      call.port->attached(0);
      std::vector<int16_t> silence(160);
      pb_frame frame{};
      frame.size = sizeof frame;
      frame.rate_hz = 8000;
      frame.samples = 160;
      frame.pcm = silence.data();
      for (int i = 0; i < 60; ++i) call.port->push(frame);
      CHECK(call.port->stats().packets_sent == (is_set && is_agreed ? 10 + 1 : 60));
    }
}

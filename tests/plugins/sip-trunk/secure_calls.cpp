// Encrypted calls of the plugin in a server, with baresip as the peer: each policy with each kind of keys.
// Audio of both directions is checked by its tone.
#include <doctest/doctest.h>

#include <vector>

#include "call_fixture.h"
#include "support/baresip_phone.h"
#include "support/tone.h"
#include "voice.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

constexpr uint32_t kRateHz = kVoiceRateHz;
constexpr double kTheirHz = 700;
constexpr size_t kWantedSamples = kRateHz * 3 / 2;

// A server with a trunk whose settings these are, and a baresip at its other end.
struct SecureCall {
  SecureCall(const std::string& trunk_settings, const std::string& encryption)
      : phone(*start_phone(folder, encryption)),
        server(server_config(
                   "{id: a, host: 127.0.0.1, port: " + std::to_string(phone.port()) + trunk_settings + "}, " +
                   "{id: b, host: 127.0.0.1, port: " + std::to_string(phone.port()) + trunk_settings + "}"),
               nullptr, {probe::http_entry()}) {
    REQUIRE(server.start_error() == "");
    owner.dial("100");
  }
  ~SecureCall() { owner.go(); }

  static Result<Baresip> start_phone(TempFolder& folder, const std::string& encryption) {
    REQUIRE(write_wav(folder.file("tone.wav"), support::make_tone(kTheirHz, kRateHz, kRateHz * 60), kRateHz));
    auto phone = Baresip::start({.play_wav = folder.file("tone.wav"), .encryption = encryption});
    if (!phone) FAIL(phone.error().text);
    return phone;
  }

  // Both sides hear the other one's tone. `kind`: what the log says about the encryption; empty: none.
  void check_audio(const std::string& kind) {
    const auto answered = probe::wait(owner.answered.get_future());
    REQUIRE(answered);
    {
      CAPTURE(phone.output());
      CAPTURE(server.log());
      REQUIRE(answered->port);
      Voice voice(answered->port);
      CHECK(within(std::chrono::seconds(20), [&] { return voice.port.hears(kTheirHz); }));
      const size_t before = voice.port.heard().size();
      CHECK(within(std::chrono::seconds(20),
                   [&] { return voice.port.heard().size() > before + kWantedSamples; }));
      const bool is_encrypted = server.log().find("the audio is encrypted") != std::string::npos;
      CHECK(is_encrypted == !kind.empty());
      if (!kind.empty()) CHECK(server.log().find("keys=" + kind) != std::string::npos);
    }
    const std::vector<int16_t> recorded = phone.heard();
    REQUIRE(recorded.size() > kRateHz);
    CHECK(support::mean_snr_db({recorded.end() - kRateHz / 2, recorded.end()}, kOurHz, kRateHz) > 15);
  }
  void check_failed(const std::string& detail) {
    const auto ended = probe::wait(owner.ended.get_future());
    REQUIRE(ended);
    CAPTURE(phone.output());
    CHECK(ended->cause == "failed");
    CHECK(ended->detail.find(detail) != std::string::npos);
  }

  TempFolder folder;
  Baresip phone;
  TestServer server;
  Owner owner;
};

}  // namespace

TEST_CASE("SDES: a trunk that requires SRTP has encrypted calls, and none in the clear") {
  SecureCall(", srtp: required", "srtp-mand").check_audio("sdes");
  SecureCall(", srtp: required", "").check_failed("");
}

TEST_CASE(
    "SDES: a trunk with optional SRTP has encrypted calls with a peer that supports it, and others in the "
    "clear") {
  SecureCall(", srtp: optional", "srtp").check_audio("sdes");
  SecureCall(", srtp: optional", "").check_audio("");
}

TEST_CASE("DTLS: a trunk that requires SRTP has encrypted calls, and none in the clear") {
  SecureCall(", srtp: required, srtpKeys: dtls", "dtls_srtp").check_audio("dtls");
  SecureCall(", srtp: required, srtpKeys: dtls", "").check_failed("");
}

TEST_CASE("DTLS: a trunk with optional SRTP has calls in the clear with a peer that does not support it") {
  SecureCall(", srtp: optional, srtpKeys: dtls", "").check_audio("");
}

TEST_CASE("a trunk without SRTP has no calls with a peer that requires it") {
  SecureCall("", "srtp-mand").check_failed("");
  SecureCall("", "").check_audio("");
}

TEST_CASE("SDES over UDP is a warning at the start") {
  RawPeer peer;
  TestServer server(server_config(trunk_entry("a", "127.0.0.1", peer.port()) +
                                  ", {id: b, host: 127.0.0.1, srtp: optional}"),
                    nullptr, {probe::http_entry()});
  CHECK(server.start_error() == "");
  CHECK(server.log().find("acme.example.sip-trunk.trunks.b: the keys of SRTP are in its SIP messages") !=
        std::string::npos);
  CHECK(server.log().find("trunks.a:") == std::string::npos);
}

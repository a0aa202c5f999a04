// Encrypted calls of the plugin in a server, with baresip as the peer: each policy with each kind of keys.
// Audio of both directions is checked by its tone.
#include <doctest/doctest.h>
#include <patchbay/services/answerer.h>

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

// Both sides hear the other one's tone. `kind`: what the log says about the encryption; empty: none.
void check_tones(Handle leg_port, TestServer& server, Baresip& phone, const std::string& kind) {
  {
    CAPTURE(phone.output());
    CAPTURE(server.log());
    REQUIRE(leg_port);
    Voice voice(leg_port);
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

// Takes one call to the server.
struct CallTaker {
  explicit CallTaker(TestServer& server) {
    REQUIRE(server.start_error() == "");
    std::promise<Result<int>> added;
    probe::run([&](const Host& host) {
      using L = telephony::LegListener;
      listener = std::make_unique<Provision<L>>(host);
      listener->on(L::progress, [](const telephony::Progress&) -> Result<Empty> { return Empty{}; })
          .on(L::answered,
              [this](const telephony::Answered& what) -> Result<Empty> {
                answered.set_value(what);
                return Empty{};
              })
          .on(L::digit, [](const telephony::Digit&) -> Result<Empty> { return Empty{}; })
          .on(L::ended, [](const telephony::Ended&) -> Result<Empty> { return Empty{}; });
      answerer = std::make_unique<Provision<telephony::Answerer>>(host);
      answerer->on(telephony::Answerer::offer,
                   [this, &host](const telephony::Offer& call) -> Result<telephony::Taken> {
                     leg = Lease<telephony::Leg>::open(host, call.leg);
                     telephony::Taken taken;
                     taken.listener = listener->handle();
                     offered.set_value(0);
                     return taken;
                   });
      service = std::make_unique<Service<telephony::Telephony>>(host);
      service->call(
          telephony::Telephony::add_answerer, {"probe", answerer->handle(), 0},
          [&](const Result<Empty>& done) { added.set_value(done ? Result<int>(0) : done.error()); });
    });
    REQUIRE(probe::wait(added.get_future()));
  }
  CallTaker(const CallTaker&) = delete;
  CallTaker& operator=(const CallTaker&) = delete;
  ~CallTaker() {
    std::promise<Result<int>> gone;
    probe::run([&](const Host&) {
      leg = {};
      answerer.reset();
      listener.reset();
      service.reset();
      gone.set_value(0);
    });
    CHECK(probe::wait(gone.get_future()));
  }

  void answer() {
    REQUIRE(probe::wait(offered.get_future()));
    probe::run([&](const Host&) { leg.call(telephony::Leg::answer, {}, [](const Result<Empty>&) {}); });
  }

  std::unique_ptr<Provision<telephony::LegListener>> listener;
  std::unique_ptr<Provision<telephony::Answerer>> answerer;
  std::unique_ptr<Service<telephony::Telephony>> service;
  Lease<telephony::Leg> leg;
  std::promise<Result<int>> offered;
  std::promise<Result<telephony::Answered>> answered;
};

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

  static Result<Baresip> start_phone(TempFolder& folder, const std::string& encryption,
                                     const std::string& dials = "") {
    REQUIRE(write_wav(folder.file("tone.wav"), support::make_tone(kTheirHz, kRateHz, kRateHz * 60), kRateHz));
    auto phone =
        Baresip::start({.play_wav = folder.file("tone.wav"), .encryption = encryption, .dial = dials});
    if (!phone) FAIL(phone.error().text);
    return phone;
  }

  void check_audio(const std::string& kind) {
    const auto answered = probe::wait(owner.answered.get_future());
    REQUIRE(answered);
    check_tones(answered->port, server, phone, kind);
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

// The probe answers a call of baresip.
struct InboundSecureCall {
  InboundSecureCall(const std::string& policy, const std::string& encryption)
      : server(
            "plugins:\n  media: {}\n  probe: {}\n  numbers: {}\n  sip-trunk: {listenPort: 0, requireGate: "
            "false}\ntenants:\n  acme.example:\n    numbers:\n      list:\n      - {name: reception, number: "
            "'+4930111', mode: live-voice-ai, systemPrompt: Hi}\n    sip-trunk:\n      trunks: [{id: a, "
            "host: "
            "127.0.0.1, srtp: " +
                policy + "}]\n",
            nullptr, {probe::http_entry()}),
        answerer(server),
        phone(*SecureCall::start_phone(folder, encryption,
                                       "sip:+4930111@127.0.0.1:" + std::to_string(sip_port(server)))) {
    answerer.answer();
  }

  void check_audio(const std::string& kind) {
    const auto answered = probe::wait(answerer.answered.get_future());
    CAPTURE(phone.output());
    CAPTURE(server.log());
    REQUIRE(answered);
    check_tones(answered->port, server, phone, kind);
  }

  TempFolder folder;
  TestServer server;
  CallTaker answerer;
  Baresip phone;
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

TEST_CASE(
    "inbound calls are encrypted as the caller offers it, and refused where the policy does not allow it") {
  struct Row {
    const char* policy;
    const char* encryption;
    const char* keys;  // empty: in the clear; null: refused
  };
  for (const Row& row :
       {Row{"required", "srtp-mand", "sdes"}, Row{"required", "dtls_srtp", "dtls"},
        Row{"required", "", nullptr}, Row{"optional", "srtp", "sdes"}, Row{"optional", "dtls_srtp", "dtls"},
        Row{"optional", "", ""}, Row{"off", "srtp", ""}, Row{"off", "srtp-mand", nullptr}}) {
    CAPTURE(std::string(row.policy));
    CAPTURE(std::string(row.encryption));
    InboundSecureCall call(row.policy, row.encryption);
    if (row.keys == nullptr)
      CHECK(within(std::chrono::seconds(20),
                   [&] { return call.server.log().find("refusing the call sip=488") != std::string::npos; }));
    else
      call.check_audio(row.keys);
  }
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

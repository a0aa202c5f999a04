// Encrypted calls of the plugin in a server, with baresip as the peer: each policy with each kind of keys.
// Audio of both directions is checked by its tone.
#include <doctest/doctest.h>
#include <patchbay/audio.h>
#include <patchbay/services/audio.h>

#include <array>
#include <cstring>
#include <mutex>
#include <vector>

#include "call_fixture.h"
#include "support/baresip_phone.h"
#include "support/tone.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

constexpr uint32_t kRateHz = 8000;
constexpr double kOurHz = 1100;
constexpr double kTheirHz = 700;
constexpr size_t kWantedSamples = kRateHz * 3 / 2;

// Plays a tone to the call and records it.
class TonePort final : public AudioPort {
 public:
  TonePort() : tone_(support::make_tone(kOurHz, kRateHz, kRateHz)) { heard_.reserve(kRateHz * 60); }

  uint32_t pull_rate_hz() const noexcept override { return kRateHz; }
  uint32_t push_rate_hz() const noexcept override { return kRateHz; }
  void pull(pb_frame& out) override {
    constexpr size_t kFrame = kRateHz / 50;
    std::memcpy(out.pcm, tone_.data() + at_, kFrame * sizeof(int16_t));
    at_ = (at_ + kFrame) % tone_.size();
    out.samples = kFrame;
  }
  void push(const pb_frame& in) override {
    const std::lock_guard lock(mutex_);
    if (heard_.size() + in.samples <= heard_.capacity())
      heard_.insert(heard_.end(), in.pcm, in.pcm + in.samples);
  }
  std::vector<int16_t> heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  // Whether the last part of what came is that tone.
  bool hears(double hz, size_t samples = kRateHz / 2) {
    const std::vector<int16_t> all = heard();
    return all.size() >= samples &&
           support::mean_snr_db({all.end() - static_cast<ptrdiff_t>(samples), all.end()}, hz, kRateHz) > 15;
  }

 private:
  const std::vector<int16_t> tone_;
  size_t at_ = 0;
  std::mutex mutex_;
  std::vector<int16_t> heard_;
};

// A tone port that is joined to a leg's port.
class Voice {
 public:
  explicit Voice(Handle leg_port) {
    std::promise<Result<int>> joined;
    probe::run([&](const Host& host) {
      audio_ = std::make_unique<Service<audio::Audio>>(host);
      audio_->call(audio::Audio::join, {port.open(host), leg_port, "c"},
                   [&](const Result<audio::Joined>& result) {
                     joined.set_value(result ? Result<int>(0) : result.error());
                   });
    });
    REQUIRE(probe::wait(joined.get_future()));
  }
  ~Voice() {
    std::promise<Result<int>> closed;
    probe::run([&](const Host&) {
      audio_.reset();
      port.close([&] { closed.set_value(0); });
    });
    CHECK(probe::wait(closed.get_future()));
  }

  TonePort port;

 private:
  std::unique_ptr<Service<audio::Audio>> audio_;
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

// What is heard of a tone through the kernel and a bad network, in real time, by its signal-to-noise ratio:
// streams negotiated by offer and answer, towards a listener with a playout clock and towards an engine.
// audio_player.cpp has the same, and a clock that drifts, without sockets and in virtual time.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rtp/audio_stream.h"
#include "sdp/sdp.h"
#include "support/lossy_network.h"
#include "support/own_network.h"
#include "support/tone.h"

using namespace patchbay::lib;
using namespace patchbay::support;
using patchbay::test::LossyNetwork;

namespace {

constexpr double kSentHz = 1004;
constexpr int kPhaseTicks = 150;
constexpr int kSettlingTicks = 50;  // of a phase, while the delay adapts

// One call: its caller sends the tone, its callee listens.
class Call {
 public:
  Call(Codec codec, bool is_engine) : caller_(make(1)), callee_(make(7)), is_engine_(is_engine) {
    LocalMedia offered = media_of(*caller_);
    offered.codecs = {codec};
    LocalMedia answered = media_of(*callee_);
    answered.codecs = {codec};
    const auto offer = parse_offer(answered, write_offer(offered));
    REQUIRE(offer);
    configure(*callee_, offer->media);
    const auto answer = parse_answer(offered, write_answer(answered, *offer));
    REQUIRE(answer);
    configure(*caller_, *answer);
    rate_hz_ = caller_->rate_hz();
    if (is_engine)
      callee_->begin_frames(
          [](void* self, const FrameAssembler::Frame& frame) {
            auto& heard = static_cast<Call*>(self)->heard_;
            heard.insert(heard.end(), frame.pcm, frame.pcm + frame.samples);
          },
          this);
  }

  void tick(int64_t now_ns) {
    const size_t samples = rate_hz_ / 50;
    const auto tone = make_tone(kSentHz, rate_hz_, samples, 8000, sent_);
    sent_ += samples;
    caller_->push(tone.data(), now_ns);
    if (is_engine_) {
      callee_->begin_tick();
      callee_->receive_all(RtpSocket::Channel::rtp, now_ns);
      callee_->tick_frames(now_ns);
    } else {
      std::vector<int16_t> frame(samples);
      callee_->pull(frame.data(), now_ns);
      heard_.insert(heard_.end(), frame.begin(), frame.end());
    }
  }
  void forget() { heard_.clear(); }
  double snr() const { return mean_snr_db(heard_, kSentHz, rate_hz_); }
  double share_heard() const {
    return static_cast<double>(heard_.size()) / (rate_hz_ / 50 * (kPhaseTicks - kSettlingTicks));
  }

 private:
  static std::unique_ptr<AudioStream> make(uint64_t seed) {
    auto socket = RtpSocket::open(*SocketAddress::parse(LossyNetwork::kNearIp, 0), 0, 0);
    REQUIRE(socket);
    AudioStream::Options options;
    options.jitter = {40, 200};
    options.random = seed * 0x9E3779B97F4A7C15;
    options.cname = "test";
    return std::make_unique<AudioStream>(*std::move(socket), options);
  }
  // As the other side reaches it.
  static LocalMedia media_of(const AudioStream& stream) {
    LocalMedia media;
    media.rtp = *SocketAddress::parse(LossyNetwork::kFarIp, stream.local_port());
    return media;
  }
  static void configure(AudioStream& stream, const RemoteMedia& remote) {
    StreamMedia media;
    media.remote_rtp = remote.rtp;
    media.remote_rtcp = remote.rtcp;
    media.codecs = *StreamCodecs::make({.codecs = remote.codecs,
                                        .packet_ms = remote.ptime_ms,
                                        .rate_hz = format_of(remote.codecs.front().codec).rate_hz});
    stream.configure(media);
  }

  std::unique_ptr<AudioStream> caller_;
  std::unique_ptr<AudioStream> callee_;
  const bool is_engine_;
  uint32_t rate_hz_ = 0;
  size_t sent_ = 0;
  std::vector<int16_t> heard_;
};

}  // namespace

TEST_CASE("a tone is heard through loss, jitter, reordering, another SSRC and wrapping numbers") {
  if (!patchbay::test::OwnNetwork::is_inside())
    return patchbay::test::OwnNetwork::repeat("a tone is heard through loss*", "127.0.0.1");
  auto network = LossyNetwork::open(42);
  if (!network) {
    MESSAGE("skipped: " << network.error().text);
    return;
  }
  Call narrow(Codec::pcma, false);
  Call opus(Codec::opus, false);
  Call engine(Codec::g722, true);
  struct Phase {
    const char* name;
    LossyNetwork::Conditions conditions;
    // Least ratios: far below what an idle machine has (38, 41 and 47 dB on a clean line; 19, 14 and 25 with
    // 20 % lost; 37, 40 and 45 with jitter), because a busy one adds jitter of its own.
    double limit_db;
  };
  const Phase phases[] = {{"clean, numbers wrap", {}, 25},
                          {"1 % lost", {.loss = 0.01}, 22},
                          {"5 % lost", {.loss = 0.05}, 17},
                          {"20 % lost", {.loss = 0.2}, 7},
                          {"jitter 80 ms, reordered", {.jitter_us = 80'000}, 20},
                          {"another SSRC", {.ssrc_mask = 0x55AA}, 25}};
  auto next = std::chrono::steady_clock::now();
  for (const Phase& phase : phases) {
    (*network)->set(phase.conditions);
    for (int tick = 0; tick < kPhaseTicks; ++tick) {
      if (tick == kSettlingTicks)
        for (Call* call : {&narrow, &opus, &engine}) call->forget();
      std::this_thread::sleep_until(next);
      next += std::chrono::milliseconds(20);
      for (Call* call : {&narrow, &opus, &engine}) call->tick(next.time_since_epoch().count());
    }
    CAPTURE(std::string(phase.name));
    CHECK(narrow.snr() > phase.limit_db);
    CHECK(opus.snr() > phase.limit_db);
    CHECK(engine.snr() > phase.limit_db);
    CHECK(std::abs(engine.share_heard() - 1) < 0.1);
  }
  CHECK((*network)->lost() > 50);
}

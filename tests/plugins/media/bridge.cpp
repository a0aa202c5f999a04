// Frames that pass between ticks, on the fake host, whose clock the test advances.
#include "bridge.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

using namespace patchbay;
using testing::why;

namespace {

// Passes a frame between ticks when it is asked to; pulls give silence, or the samples 1.
class SpeakingPort final : public AudioPort {
 public:
  SpeakingPort(uint32_t rate_hz, uint32_t flags) : rate_hz_(rate_hz), flags_(flags) {}
  uint32_t pull_rate_hz() const noexcept override { return rate_hz_; }
  uint32_t push_rate_hz() const noexcept override { return rate_hz_; }
  uint32_t push_flags() const noexcept override { return flags_; }
  void pull(pb_frame& out) override {
    ++pulls_;
    out.samples = out.capacity;
    std::fill_n(out.pcm, out.samples, int16_t{1});
    if (silent_) out.flags |= PB_FRAME_SILENCE;
  }
  void push(const pb_frame& in) override {
    if ((in.flags & PB_FRAME_SILENCE) == 0) last_ = in.pcm[in.samples - 1];
    ++pushes_;
  }
  bool stream_to(const FrameSink& sink) override {
    sink_flags_ = sink.flags;
    sink_ = sink;
    return static_cast<bool>(sink);
  }
  // [media]
  void pass(int16_t value) {
    std::array<int16_t, 960> pcm;
    pcm.fill(value);
    pb_frame frame{};
    frame.size = sizeof frame;
    frame.rate_hz = rate_hz_;
    frame.samples = frame.capacity = rate_hz_ / 1000 * PB_TICK_MS;
    frame.pcm = pcm.data();
    sink_(frame);
  }

  const uint32_t rate_hz_, flags_;
  FrameSink sink_;
  uint32_t sink_flags_ = 0;
  bool silent_ = true;
  int pulls_ = 0, pushes_ = 0;
  int16_t last_ = 0;
};

// A leg and an engine on a bridge of the fake host, whose clock the test advances.
struct Talk {
  Talk() {
    environment.run([this] {
      const Handle a = leg.open(environment.host()), b = engine.open(environment.host());
      auto started = media::Bridge::start(environment.host(), a, b);
      if (started) bridge = *std::move(started);
    });
    REQUIRE(bridge);
    advance_ms(20);
  }
  ~Talk() {
    bool ended = false, closed = false;
    environment.run([&] { bridge->stop([&] { ended = true; }); });
    CHECK(why(environment.settle()) == "");
    CHECK(ended);
    CHECK_FALSE(leg.sink_);
    CHECK_FALSE(engine.sink_);
    environment.run([&] {
      bridge.reset();
      leg.close([&] { engine.close([&] { closed = true; }); });
    });
    CHECK(why(environment.settle()) == "");
    CHECK(closed);
  }
  void advance_ms(int64_t ms) { REQUIRE(why(environment.advance_ms(ms)) == ""); }
  template <class F>
  void on_media(F f) {
    environment.on_media(f);
  }

  testing::TestEnvironment environment;
  SpeakingPort& leg = environment.make<SpeakingPort>(8000u, PB_PORT_EARLY);
  SpeakingPort& engine = environment.make<SpeakingPort>(24000u, PB_PORT_UNPACED);
  std::unique_ptr<media::Bridge> bridge;
};

}  // namespace

TEST_CASE(
    "a port without a playout clock gets each frame when the other passes it, and none that is pulled") {
  Talk talk;
  CHECK(talk.leg.sink_flags_ == PB_PORT_UNPACED);
  CHECK(talk.leg.pulls_ == 1);
  CHECK(talk.engine.pushes_ == 0);
  talk.on_media([&] {
    for (int i = 0; i < 3; ++i) talk.leg.pass(1000);
  });
  CHECK(talk.engine.pushes_ == 3);
  CHECK(std::abs(talk.engine.last_ - 1000) < 20);
  talk.advance_ms(100);
  CHECK(talk.leg.pulls_ == 6);
  CHECK(talk.engine.pushes_ == 3);
}

TEST_CASE(
    "the first frame of an answer passes before its tick, and a later frame of silence is left out for it") {
  Talk talk;
  CHECK(talk.engine.sink_flags_ == PB_PORT_EARLY);
  CHECK(talk.leg.pushes_ == 1);
  talk.on_media([&] {
    talk.engine.pass(1000);
    talk.engine.pass(1000);  // a second one may not
  });
  CHECK(talk.leg.pushes_ == 2);
  talk.engine.silent_ = false;
  talk.advance_ms(60);
  CHECK(talk.leg.pushes_ == 5);
  talk.engine.silent_ = true;
  talk.advance_ms(20);
  CHECK(talk.leg.pushes_ == 5);
  talk.advance_ms(20);
  CHECK(talk.leg.pushes_ == 6);
  talk.on_media([&] { talk.engine.pass(1000); });
  CHECK(talk.leg.pushes_ == 7);
}

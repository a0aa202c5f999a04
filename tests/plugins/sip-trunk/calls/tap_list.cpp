#include "calls/tap_list.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace patchbay::sip_trunk;

namespace {

constexpr size_t kFrame = 160;
using Frame = std::vector<int16_t>;

Frame frame_of(int16_t value) { return Frame(kFrame, value); }

// What a tap hears in its tick; empty: silence.
Frame heard(Tap& tap) {
  Frame out(kFrame);
  return tap.hear(out.data(), out.size()) ? out : Frame();
}

struct Call {
  // A tick of the call: what its owner hears of `from_far`, and the telephone of `from_near`.
  Frame far(int16_t from_far) {
    Frame pcm = frame_of(from_far);
    taps.far(pcm.data(), pcm.size());
    return pcm;
  }
  Frame near(int16_t from_near) {
    Frame pcm = frame_of(from_near);
    taps.near(pcm.data(), pcm.size());
    return pcm;
  }
  TapList taps;
};

}  // namespace

TEST_CASE("a tap hears the sides that it is for, and changes nothing") {
  Call call;
  Tap far(8000, {true, false}, {}), near(8000, {false, true}, {}), both(8000, {true, true}, {});
  for (Tap* tap : {&far, &near, &both}) REQUIRE(call.taps.add(*tap));
  for (int tick = 0; tick < 10; ++tick) {
    CHECK(call.far(100) == frame_of(100));
    CHECK(call.near(7) == frame_of(7));
    if (tick < 2) continue;  // two frames wait at first
    CHECK(heard(far) == frame_of(100));
    CHECK(heard(near) == frame_of(7));
    CHECK(heard(both) == frame_of(107));
  }
}

TEST_CASE("what a tap says is added to its sides only, with saturation, and no other tap hears it") {
  Call call;
  Tap whisper(8000, {}, {false, true}), loud(8000, {}, {true, true}), ear(8000, {true, true}, {});
  for (Tap* tap : {&whisper, &loud, &ear}) REQUIRE(call.taps.add(*tap));
  const Frame said = frame_of(30), shout = frame_of(32767);
  for (int tick = 0; tick < 2; ++tick) {
    whisper.say(said.data(), said.size());
    call.far(0);
    call.near(0);
  }
  whisper.say(said.data(), said.size());
  CHECK(call.far(100) == frame_of(130));
  CHECK(call.near(100) == frame_of(100));
  loud.say(shout.data(), shout.size());
  loud.say(shout.data(), shout.size());
  CHECK(call.far(5000) == frame_of(32767));
  CHECK(call.near(5000) == frame_of(32767));
  for (int tick = 0; tick < 4; ++tick) {
    const Frame out = heard(ear);
    CHECK((out.empty() || *std::max_element(out.begin(), out.end()) <= 10000));
  }
}

TEST_CASE("a single frame is said after two ticks, and what waits for long is forgotten") {
  Call call;
  Tap tap(8000, {}, {false, true});
  REQUIRE(call.taps.add(tap));
  const Frame said = frame_of(30);
  tap.say(said.data(), said.size());
  CHECK(call.far(1) == frame_of(1));
  CHECK(call.far(1) == frame_of(1));
  CHECK(call.far(1) == frame_of(31));
  CHECK(call.far(1) == frame_of(1));
  for (int16_t n = 0; n < 15; ++n) {
    const Frame next = frame_of(static_cast<int16_t>(n * 10));
    tap.say(next.data(), next.size());
  }
  CHECK(call.far(0) == frame_of(120));  // three frames are kept
  CHECK(call.far(0) == frame_of(130));
}

TEST_CASE("a call has eight taps at most, and a removed one hears nothing more") {
  Call call;
  std::vector<std::unique_ptr<Tap>> taps;
  for (size_t i = 0; i < TapList::kMaxTaps; ++i) {
    taps.push_back(std::make_unique<Tap>(8000, TapSides{true, true}, TapSides{}));
    REQUIRE(call.taps.add(*taps.back()));
  }
  Tap more(8000, {true, true}, {});
  CHECK_FALSE(call.taps.add(more));
  call.taps.remove(*taps[3]);
  CHECK(call.taps.add(more));
  for (int tick = 0; tick < 3; ++tick) call.far(1);
  CHECK(heard(*taps[3]).empty());
  CHECK(heard(more) == frame_of(1));
  for (const auto& tap : taps) call.taps.remove(*tap);
  call.taps.remove(more);
  CHECK(call.taps.is_empty());
}

TEST_CASE("taps come and go while the call's loop is at them") {
  Call call;
  std::atomic<bool> stop{false};
  std::thread loop([&] {
    while (!stop) {
      call.far(1);
      call.near(2);
    }
  });
  for (int i = 0; i < 3000; ++i) {
    auto tap = std::make_unique<Tap>(8000, TapSides{true, true}, TapSides{true, true});
    CHECK(call.taps.add(*tap));
    const Frame said = frame_of(3);
    tap->say(said.data(), said.size());
    static_cast<void>(heard(*tap));
    call.taps.remove(*tap);
    while (call.taps.is_used()) std::this_thread::yield();
  }
  stop = true;
  loop.join();
}

#include "unsent_audio.h"

#include <doctest/doctest.h>

#include <memory>

#include "gemini_limits.h"

using namespace patchbay::engine_gemini;
using patchbay::lib::EngineStats;

namespace {

UnsentAudio::Frame frame(int16_t value) {
  UnsentAudio::Frame out;
  out.fill(value);
  return out;
}

}  // namespace

TEST_CASE("unsent audio: frames leave in order and are counted while they wait") {
  const auto stats = std::make_shared<EngineStats>();
  UnsentAudio audio(stats);
  CHECK(audio.front() == nullptr);
  audio.push(frame(1));
  audio.push(frame(2));
  CHECK(stats->queued_ms == 40);
  CHECK((*audio.front())[0] == 1);
  audio.pop();
  CHECK((*audio.front())[0] == 2);
  audio.clear();
  CHECK(audio.front() == nullptr);
  CHECK(stats->queued_ms == 0);
  CHECK(audio.dropped_ms() == 0);
}

TEST_CASE("unsent audio: beyond a second the oldest is dropped and counted") {
  const auto stats = std::make_shared<EngineStats>();
  UnsentAudio audio(stats);
  for (int16_t i = 0; i < static_cast<int16_t>(kMaxUnsentFrames) + 3; ++i) audio.push(frame(i));
  CHECK((*audio.front())[0] == 3);
  CHECK(audio.dropped_ms() == 60);
  CHECK(stats->dropped_ms == 60);
  CHECK(stats->queued_ms == 1000);
  audio.count_dropped(100);
  CHECK(audio.dropped_ms() == 160);
  CHECK(stats->dropped_ms == 160);
}

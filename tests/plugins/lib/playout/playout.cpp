#include "playout/playout.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using patchbay::lib::Playout;

namespace {

constexpr int kTick = 480;  // 20 ms at 24 kHz

std::vector<int16_t> tone(size_t samples, int16_t level = 1000) {
  return std::vector<int16_t>(samples, level);
}

struct Media {
  explicit Media(Playout& from) : playout(from) {}
  size_t tick() { return playout.pull(frame, kTick); }
  Playout& playout;
  int16_t frame[kTick];
};

}  // namespace

TEST_CASE("an answer waits for its prebuffer and then plays without gaps") {
  Playout playout({});
  Media media(playout);
  CHECK(media.tick() == 0);
  playout.push(tone(kTick).data(), kTick);
  CHECK(media.tick() == 0);  // 20 ms are buffered, 80 are needed
  auto more = tone(kTick * 10);
  playout.push(more.data(), more.size());
  for (int i = 0; i < 11; ++i) CHECK(media.tick() == kTick);
  CHECK(playout.turn().played_ms == 220);
  CHECK(playout.drained());
}

TEST_CASE("a short answer starts when it has ended, a slow one after the maximum wait") {
  Playout playout({});
  Media media(playout);
  playout.push(tone(kTick).data(), kTick);
  playout.end_turn();
  CHECK(media.tick() == kTick);
  playout.push(tone(kTick).data(), kTick);
  int waits = 0;
  while (media.tick() == 0 && waits < 20) ++waits;
  CHECK(waits == 6);  // 120 ms
}

TEST_CASE("the first samples of an answer can be pulled as soon as it may start, those that follow cannot") {
  Playout playout({});
  Media media(playout);
  int startable = 0;
  playout.on_startable([](void* count) { ++*static_cast<int*>(count); }, &startable);
  CHECK(playout.pull_first(media.frame, kTick) == 0);
  playout.push(tone(kTick * 3).data(), kTick * 3);
  CHECK(startable == 0);
  CHECK(playout.pull_first(media.frame, kTick) == 0);  // 60 ms are buffered, 80 are needed
  playout.push(tone(kTick).data(), kTick);
  CHECK(startable == 1);
  CHECK(playout.pull_first(media.frame, kTick) == kTick);
  CHECK(playout.turn().played_ms == 20);
  CHECK(playout.pull_first(media.frame, kTick) == 0);
  for (int i = 0; i < 3; ++i) CHECK(media.tick() == kTick);
  playout.end_turn();
  CHECK(startable == 1);
  CHECK(media.tick() == 0);
  playout.push(tone(kTick).data(), kTick);  // a short answer
  CHECK(startable == 1);
  playout.end_turn();
  CHECK(startable == 2);
  CHECK(playout.pull_first(media.frame, kTick) == kTick);
}

TEST_CASE("a flush fades out, counts what was played and lets the next answer play") {
  Playout playout({});
  Media media(playout);
  auto answer = tone(24000);
  playout.push(answer.data(), answer.size());
  for (int i = 0; i < 5; ++i) media.tick();
  auto heard = playout.flush();
  CHECK(heard.received_ms == 1000);
  CHECK(heard.played_ms == 100);
  CHECK(playout.drained());
  CHECK(media.tick() == 120);  // 5 ms of fade
  CHECK(media.frame[0] == 1000);
  CHECK(media.frame[60] == 500);
  CHECK(media.frame[120] == 0);
  CHECK(media.tick() == 0);
  CHECK(playout.flush().played_ms == 100);  // the same turn again

  playout.push(answer.data(), 2400);
  for (int i = 0; i < 3; ++i) CHECK(media.tick() == kTick);
  CHECK(playout.turn().received_ms == 100);
  CHECK(playout.turn().played_ms == 60);
}

TEST_CASE("turns that overlap in the queue are counted separately") {
  Playout playout({});
  Media media(playout);
  auto answer = tone(4800);
  playout.push(answer.data(), answer.size());
  playout.end_turn();
  playout.push(answer.data(), answer.size());
  for (int i = 0; i < 10; ++i) media.tick();
  CHECK(playout.turn().played_ms == 0);
  media.tick();
  CHECK(playout.turn().played_ms == 20);
}

TEST_CASE("an underflow is filled and counted, after a long one the playout buffers again") {
  Playout playout({});
  Media media(playout);
  auto part = tone(kTick * 5);
  playout.push(part.data(), part.size());
  for (int i = 0; i < 5; ++i) media.tick();
  CHECK(media.tick() == 0);
  CHECK(playout.counters().underflows == 1);
  playout.push(part.data(), kTick);
  CHECK(media.tick() == kTick);  // at once
  for (int i = 0; i < 25; ++i) media.tick();
  CHECK(playout.counters().underflows == 2);
  playout.push(part.data(), kTick);
  CHECK(media.tick() == 0);  // the gap was over 400 ms
}

TEST_CASE("the end of a flushed or short frame ramps down instead of clicking") {
  Playout playout({});
  Media media(playout);
  auto part = tone(600);
  playout.push(part.data(), part.size());
  playout.end_turn();
  CHECK(media.tick() == kTick);
  CHECK(media.tick() == 120);
  CHECK(media.frame[120] == 1000);
  CHECK(media.frame[239] < 20);
  CHECK(media.frame[240] == 0);
}

TEST_CASE("samples over the limit are dropped and counted") {
  Playout::Options options;
  options.max_ms = 1000;
  Playout playout(options);
  auto much = tone(24000 * 2);
  CHECK(playout.push(much.data(), much.size()) == 24000);
  CHECK(playout.counters().dropped_samples == 24000);
  CHECK(playout.buffered_ms() == 1000);
}

TEST_CASE("the drained hook fires once when the last sample was played") {
  Playout playout({});
  int fired = 0;
  playout.on_drained([](void* count) { ++*static_cast<int*>(count); }, &fired);
  Media media(playout);
  auto part = tone(kTick * 5);
  playout.push(part.data(), part.size());
  playout.end_turn();
  for (int i = 0; i < 4; ++i) media.tick();
  CHECK(fired == 0);
  media.tick();
  CHECK(fired == 1);
  media.tick();
  CHECK(fired == 1);
}

TEST_CASE("pushes, flushes and pulls from two threads keep the count") {
  Playout playout({});
  std::atomic<bool> stop{false};
  std::atomic<int64_t> pulled{0};
  std::thread media([&] {
    int16_t frame[kTick];
    while (!stop) {
      playout.pull(frame, kTick);
      ++pulled;
      std::this_thread::yield();
    }
  });
  // Waits for the second thread, so that both run from the first push on.
  while (pulled == 0) std::this_thread::yield();
  auto part = tone(4800);
  for (int i = 0; i < 3000; ++i) {
    playout.push(part.data(), part.size());
    if (i % 7 == 0) {
      auto heard = playout.flush();
      CHECK(heard.played_ms <= heard.received_ms);
    }
    if (i % 5 == 0) playout.end_turn();
  }
  playout.flush();
  stop = true;
  media.join();
}

TEST_CASE("an answer in tiny parts takes a bounded number of chunks, and the rest is dropped and counted") {
  Playout playout({});
  Media media(playout);
  constexpr size_t kParts = 100'000;
  const int16_t sample = 1000;
  size_t accepted = 0;
  for (size_t i = 0; i < kParts; ++i) accepted += playout.push(&sample, 1);
  CHECK(accepted == 12'000);
  CHECK(playout.counters().dropped_samples == kParts - accepted);
  playout.end_turn();
  CHECK(media.tick() == kTick);
  CHECK(playout.push(tone(kTick).data(), kTick) == kTick);  // there is room again
}

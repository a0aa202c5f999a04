#include "rtp/jitter_buffer.h"

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <vector>

using namespace patchbay::lib;
using FrameKind = JitterBuffer::Frame;

namespace {

// Packets whose only octet is a value; frames are the values of their samples at 8 kHz, -1 where concealed.
struct BufferBench {
  explicit BufferBench(uint32_t min_ms = 40, uint32_t max_ms = 100) : buffer({min_ms, max_ms}) {}

  void put(uint32_t timestamp, uint8_t value, uint32_t duration = 160) {
    buffer.put({timestamp, duration, 0, &value, 1});
  }
  // Plays one frame of 160; `rest` keeps what a packet has beyond it.
  std::vector<int> get() {
    frame = buffer.begin_frame();
    std::vector<int> heard;
    if (frame == FrameKind::idle || frame == FrameKind::hold) return std::vector<int>(160, -1);
    const size_t wanted = frame == FrameKind::skip ? 320 : 160;
    heard.swap(rest);
    while (heard.size() < wanted) {
      const auto part = buffer.next(static_cast<uint32_t>(wanted - heard.size()));
      if (part.packet != nullptr) {
        for (uint32_t i = part.skipped; i < part.packet->duration; ++i)
          heard.push_back(part.packet->payload[0]);
      } else {
        CHECK(part.gap > 0);
        CHECK(part.gap <= wanted - heard.size());
        heard.insert(heard.end(), part.gap, -1);
        recoverable += part.after_gap != nullptr ? 1 : 0;
      }
    }
    rest.assign(heard.begin() + static_cast<ptrdiff_t>(wanted), heard.end());
    heard.resize(wanted);
    return heard;
  }
  bool next_is(int value) { return get() == std::vector<int>(160, value); }

  JitterBuffer buffer;
  FrameKind frame = FrameKind::idle;
  std::vector<int> rest;
  int recoverable = 0;  // gaps whose next packet was there
};

}  // namespace

TEST_CASE("nothing is played before the first packet") {
  BufferBench bench;
  CHECK(bench.next_is(-1));
  CHECK(bench.frame == FrameKind::idle);
  CHECK(bench.buffer.stats().concealed_frames == 0);
}

TEST_CASE("packets come out in order after the delay") {
  for (uint32_t start : {0U, 0xFFFFFF00U}) {
    BufferBench bench;
    bench.put(start, 1);
    CHECK(bench.next_is(-1));
    bench.put(start + 320, 3);
    CHECK(bench.next_is(-1));
    bench.put(start + 160, 2);
    CHECK(bench.next_is(1));
    CHECK(bench.next_is(2));
    CHECK(bench.next_is(3));
    CHECK(bench.buffer.stats().concealed_frames == 0);
  }
}

TEST_CASE("packets of 10 to 120 ms make the same stream") {
  for (uint32_t duration : {80U, 240U, 320U, 400U, 480U, 960U}) {
    BufferBench bench;
    CAPTURE(duration);
    uint32_t sent = 0;
    int heard = 0;
    for (uint32_t tick = 0; tick < 60; ++tick) {
      for (; sent < (tick + 1) * 160; sent += duration) bench.put(1000 + sent, 9, duration);
      heard += bench.next_is(9) ? 1 : 0;
    }
    CHECK(heard == 58);
    CHECK(bench.buffer.stats().concealed_frames == 0);
    CHECK(bench.buffer.stats().late_packets == 0);
  }
}

TEST_CASE("the clock of 48 kHz has the same delays") {
  BufferBench bench;
  bench.buffer.restart(48000);
  bench.put(7000, 1, 960);
  bench.buffer.begin_frame();
  CHECK(bench.buffer.next(960).gap == 960);
  bench.buffer.begin_frame();
  CHECK(bench.buffer.next(960).gap == 960);
  bench.buffer.begin_frame();
  CHECK(bench.buffer.next(960).packet->payload[0] == 1);
  bench.put(7960, 1, 48 * 121);  // longer than any packet
  CHECK(bench.buffer.depth_ms() == 0);
}

TEST_CASE("a lost packet is a gap that names its successor") {
  BufferBench bench;
  bench.put(0, 1);
  bench.put(320, 3);
  for (int i = 0; i < 3; ++i) bench.get();
  bench.recoverable = 0;
  CHECK(bench.next_is(-1));
  CHECK(bench.recoverable == 1);
  CHECK(bench.next_is(3));
  CHECK(bench.next_is(-1));  // and then nothing more
  CHECK(bench.recoverable == 1);
  bench.get();
  CHECK(bench.buffer.stats().concealed_frames == 3);
}

TEST_CASE("a packet that comes while it is being concealed is played from there") {
  BufferBench bench;
  bench.put(0, 1);
  for (int i = 0; i < 3; ++i) bench.get();
  bench.get();
  bench.put(240, 2, 240);  // of which 80 are past
  std::vector<int> expected(160, 2);
  CHECK(bench.get() == expected);
}

TEST_CASE("late packets are dropped and the delay grows within its bound") {
  BufferBench bench(40, 60);
  bench.put(0, 1);
  for (int i = 0; i < 4; ++i) bench.get();  // now 160 is past
  bench.put(160, 2);
  CHECK(bench.buffer.stats().late_packets == 1);
  CHECK(bench.buffer.delay_ms() == 60);
  bench.get();
  CHECK(bench.frame == FrameKind::hold);
  bench.put(320, 3);
  CHECK(bench.next_is(3));
  bench.put(0, 9);
  CHECK(bench.buffer.delay_ms() == 60);
}

TEST_CASE("the delay shrinks when the buffer stays fuller than needed") {
  BufferBench bench(40, 100);
  uint32_t timestamp = 0;
  for (int i = 0; i < 4; ++i, timestamp += 160) bench.put(timestamp, 5);  // three frames more than needed
  const uint32_t before = bench.buffer.depth_ms();
  int skips = 0;
  for (int tick = 0; tick < 500; ++tick, timestamp += 160) {
    bench.get();
    skips += bench.frame == FrameKind::skip ? 1 : 0;
    bench.put(timestamp, 5);
  }
  CHECK(skips > 0);
  CHECK(bench.buffer.depth_ms() < before);
  CHECK(bench.buffer.depth_ms() >= 40);
  CHECK(bench.buffer.stats().concealed_frames == 0);
}

TEST_CASE("a jump of timestamps restarts the stream") {
  for (uint32_t jump : {1000000U, 0xFFF00000U}) {
    BufferBench bench;
    bench.put(0, 1);
    for (int i = 0; i < 3; ++i) bench.get();
    uint32_t timestamp = jump;
    int heard = 0;
    for (int tick = 0; tick < 12; ++tick, timestamp += 160) {
      bench.put(timestamp, 2);
      heard += bench.next_is(2) ? 1 : 0;
    }
    CHECK(heard >= 5);
    CHECK(bench.buffer.stats().resyncs == 1);
  }
}

TEST_CASE("a restart drops the buffered packets") {
  BufferBench bench;
  bench.put(0, 1);
  bench.buffer.restart(8000);
  for (int i = 0; i < 4; ++i) CHECK(bench.next_is(-1));
  bench.put(5000, 2);
  bench.get();
  bench.get();
  CHECK(bench.next_is(2));
}

TEST_CASE("absurd packets are ignored, and more than fit are dropped") {
  BufferBench bench;
  bench.put(0, 1, 0);
  bench.put(0, 1, 5000);
  const std::array<uint8_t, JitterBuffer::kMaxPayloadBytes + 1> large{};
  bench.buffer.put({0, 160, 0, large.data(), large.size()});
  CHECK(bench.buffer.depth_ms() == 0);
  for (uint32_t i = 0; i < 100; ++i) bench.put(i, 1, 160);  // far more than slots
  for (int i = 0; i < 2; ++i) bench.get();
  CHECK(bench.next_is(1));
}

TEST_CASE("a jump of the sender's clock adds no lasting delay") {
  BufferBench bench;
  uint32_t timestamp = 0;
  for (int i = 0; i < 50; ++i, timestamp += 160) {
    bench.put(timestamp, 1);
    bench.get();
  }
  timestamp += 3000;
  for (int i = 0; i < 50; ++i, timestamp += 160) {
    bench.put(timestamp, 1);
    bench.get();
  }
  CHECK(bench.buffer.depth_ms() <= 100);
}

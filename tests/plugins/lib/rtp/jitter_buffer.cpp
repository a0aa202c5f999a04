#include "rtp/jitter_buffer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

using namespace patchbay::lib;

namespace {

using Frame = std::array<int16_t, 160>;

struct Bench {
  explicit Bench(uint32_t min_ms = 40, uint32_t max_ms = 100) : buffer({min_ms, max_ms}) {}

  void put(uint32_t timestamp, int16_t value, size_t samples = 160) {
    const std::vector<int16_t> pcm(samples, value);
    buffer.put(timestamp, pcm.data(), samples);
  }
  Frame get() {
    Frame frame;
    received = buffer.get(frame.data());
    return frame;
  }
  // Whether all samples of the next frame have this value.
  bool next_is(int16_t value) {
    const Frame frame = get();
    return std::all_of(frame.begin(), frame.end(), [&](int16_t sample) { return sample == value; });
  }

  JitterBuffer buffer;
  bool received = false;
};

}  // namespace

TEST_CASE("silence is played before the first packet") {
  Bench bench;
  CHECK(bench.next_is(0));
  CHECK_FALSE(bench.received);
  CHECK(bench.buffer.stats().concealed_frames == 0);
}

TEST_CASE("packets come out in order after the delay") {
  for (uint32_t start : {0U, 0xFFFFFF00U}) {
    Bench bench;
    bench.put(start, 1);
    CHECK(bench.next_is(0));
    bench.put(start + 320, 3);
    CHECK(bench.next_is(0));
    bench.put(start + 160, 2);
    CHECK(bench.next_is(1));
    CHECK(bench.received);
    CHECK(bench.next_is(2));
    CHECK(bench.next_is(3));
    CHECK(bench.buffer.stats().concealed_frames == 0);
  }
}

TEST_CASE("packets of 10, 30 and 60 ms make the same stream") {
  for (size_t samples : {80U, 240U, 480U}) {
    Bench bench;
    uint32_t sent = 0;
    size_t received = 0;
    for (uint32_t tick = 0; tick < 50; ++tick) {
      while (sent < (tick + 1) * 160) {
        bench.put(1000 + sent, 9, samples);
        sent += static_cast<uint32_t>(samples);
      }
      bench.get();
      received += bench.received ? 1 : 0;
    }
    CHECK(received == 48);
    CHECK(bench.buffer.stats().concealed_frames == 0);
  }
}

TEST_CASE("samples come out once and in order wherever the ring ends within a packet or a frame") {
  JitterBuffer buffer({.min_delay_ms = 40, .max_delay_ms = 40});
  const auto sample_at = [](uint32_t timestamp) { return static_cast<int16_t>(timestamp % 30011); };
  uint32_t sent = 4000;  // 96 before the end of the ring
  uint32_t expected = sent - 320;
  size_t wrong = 0;
  for (size_t tick = 0; tick < 90; ++tick, expected += 160) {
    for (const uint32_t begin = sent; sent - begin < 160;) {
      std::array<int16_t, 37> packet;  // of 37 samples, so that packets end anywhere
      for (uint32_t i = 0; i < packet.size(); ++i) packet[i] = sample_at(sent + i);
      buffer.put(sent, packet.data(), packet.size());
      sent += static_cast<uint32_t>(packet.size());
    }
    sent -= 185 - 160;  // repeats the samples beyond 20 ms, which are the same
    Frame frame;
    buffer.get(frame.data());
    for (uint32_t i = 0; i < frame.size(); ++i)
      wrong += frame[i] == (expected + i < 4000 ? 0 : sample_at(expected + i)) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(buffer.stats().concealed_frames == 0);
}

TEST_CASE("a lost packet is concealed with a fade-out and a longer gap is silent") {
  Bench bench;
  bench.put(0, 1000);
  for (int i = 0; i < 2; ++i) bench.get();
  CHECK(bench.next_is(1000));
  const Frame faded = bench.get();
  CHECK(faded.front() == 1000);
  CHECK(faded[80] == 500);
  CHECK(faded.back() < 10);
  CHECK_FALSE(bench.received);
  CHECK(bench.next_is(0));
  CHECK(bench.buffer.stats().concealed_frames == 2);
  bench.put(160 * 5, 7);
  bench.get();
  bench.get();
  CHECK(bench.next_is(7));
}

TEST_CASE("late packets are dropped and the delay grows within its bound") {
  Bench bench(40, 60);
  bench.put(0, 1);
  for (int i = 0; i < 4; ++i) bench.get();  // now 160 is past
  bench.put(160, 2);
  CHECK(bench.buffer.stats().late_packets == 1);
  CHECK(bench.buffer.delay_ms() == 60);
  bench.get();  // the delay grows here
  bench.put(320, 3);
  CHECK(bench.next_is(3));
  bench.put(0, 9);
  CHECK(bench.buffer.delay_ms() == 60);
}

TEST_CASE("the delay shrinks when the buffer stays fuller than needed") {
  Bench bench(40, 100);
  uint32_t timestamp = 0;
  for (int i = 0; i < 4; ++i, timestamp += 160) bench.put(timestamp, 5);  // three frames more than needed
  const int32_t before = bench.buffer.depth();
  for (int tick = 0; tick < 500; ++tick, timestamp += 160) {
    bench.get();
    bench.put(timestamp, 5);
  }
  CHECK(bench.buffer.depth() < before);
  CHECK(bench.buffer.depth() >= 320);
  CHECK(bench.buffer.stats().concealed_frames == 0);
}

TEST_CASE("a jump of timestamps restarts the stream") {
  for (uint32_t jump : {1000000U, 0xFFF00000U}) {
    Bench bench;
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

TEST_CASE("a restart drops the buffered audio") {
  Bench bench;
  bench.put(0, 1);
  bench.buffer.restart();
  for (int i = 0; i < 4; ++i) CHECK(bench.next_is(0));
  bench.put(5000, 2);
  bench.get();
  bench.get();
  CHECK(bench.next_is(2));
}

TEST_CASE("absurd sizes are ignored") {
  Bench bench;
  bench.put(0, 1, 0);
  bench.put(0, 1, 5000);
  CHECK(bench.buffer.depth() == 0);
}

TEST_CASE("a jump of the sender's clock adds no lasting delay") {
  JitterBuffer buffer({40, 100});
  std::array<int16_t, JitterBuffer::kFrameSamples> frame;
  frame.fill(1000);
  std::array<int16_t, JitterBuffer::kFrameSamples> out;
  uint32_t timestamp = 0;
  for (int i = 0; i < 50; ++i, timestamp += 160) {
    buffer.put(timestamp, frame.data(), frame.size());
    buffer.get(out.data());
  }
  timestamp += 3000;
  for (int i = 0; i < 50; ++i, timestamp += 160) {
    buffer.put(timestamp, frame.data(), frame.size());
    buffer.get(out.data());
  }
  CHECK(buffer.depth() <= 100 * 8);
}

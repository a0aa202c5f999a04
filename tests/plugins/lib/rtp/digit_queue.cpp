#include "rtp/digit_queue.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace patchbay::lib;

namespace {

struct Sent {
  std::string digits;
  std::vector<uint32_t> timestamps;  // of the events
  int ends = 0;
  int audio_ticks = 0;
};

Sent run(DigitQueue& queue, int ticks, uint32_t clock_hz = 8000) {
  Sent sent;
  TelephoneEventReceiver receiver;
  uint32_t timestamp = 1000;
  for (int i = 0; i < ticks; ++i, timestamp += clock_hz / 50) {
    const auto* payload = queue.next(timestamp, clock_hz);
    if (payload == nullptr) {
      ++sent.audio_ticks;
      continue;
    }
    if (payload->first) sent.timestamps.push_back(payload->timestamp);
    sent.ends += (payload->bytes[1] & 0x80) != 0 ? 1 : 0;
    if (const auto digit =
            receiver.add(payload->timestamp, payload->bytes.data(), payload->bytes.size(), clock_hz))
      sent.digits += *digit;
  }
  return sent;
}

}  // namespace

TEST_CASE("digits leave one after the other, with a gap between them") {
  for (const uint32_t clock_hz : {8000U, 48000U}) {
    DigitQueue queue;
    CHECK(queue.is_empty());
    REQUIRE(queue.add("11*#"));
    CHECK_FALSE(queue.is_empty());
    const Sent sent = run(queue, 100, clock_hz);
    CHECK(sent.digits == "11*#");
    CHECK(sent.ends == 12);
    REQUIRE(sent.timestamps.size() == 4);
    for (size_t i = 1; i < 4; ++i) {
      const uint32_t step_ms = (sent.timestamps[i] - sent.timestamps[i - 1]) / (clock_hz / 1000);
      CHECK(step_ms >= DigitQueue::kDigitMs + DigitQueue::kGapMs);
      CHECK(step_ms <= DigitQueue::kDigitMs + DigitQueue::kGapMs + 60);
    }
    CHECK(queue.is_empty());
  }
}

TEST_CASE("a comma is a pause") {
  DigitQueue queue;
  REQUIRE(queue.add("1,2"));
  const Sent sent = run(queue, 200);
  CHECK(sent.digits == "12");
  REQUIRE(sent.timestamps.size() == 2);
  CHECK((sent.timestamps[1] - sent.timestamps[0]) / 8 >= DigitQueue::kPauseMs);
}

TEST_CASE("digits that are invalid or too many are refused as a whole") {
  DigitQueue queue;
  CHECK_FALSE(queue.add("12X"));
  CHECK_FALSE(queue.add(std::string_view("1\0", 2)));
  CHECK(queue.is_empty());
  CHECK(queue.add(std::string(DigitQueue::kCapacity, '1')));
  CHECK_FALSE(queue.add("1"));
  queue.clear();
  CHECK(run(queue, 10).digits.empty());
  CHECK(queue.add("5"));
  CHECK(run(queue, 20).digits == "5");
}

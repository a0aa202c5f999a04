#include "rtp/packet_sequencer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

using namespace patchbay::lib;

namespace {

constexpr int64_t kMs = 1'000'000;
constexpr uint32_t kDuration = 160;

// Records what is passed on: a packet by its number, missing ones as -1 each.
struct OrderedListener final : PacketSequencer::Listener {
  uint32_t on_packet(const RtpPacket& packet, int64_t arrived_ns) noexcept override {
    heard.push_back(static_cast<uint16_t>(packet.sequence - first_sequence));
    arrivals.push_back(arrived_ns);
    if (packet.payload_bytes > 0) intact &= packet.payload[0] == static_cast<uint8_t>(heard.back());
    return packet.payload_bytes > 0 ? kDuration : 0;
  }
  void on_missing(uint32_t duration, const RtpPacket&) noexcept override {
    for (uint32_t i = 0; i < duration / kDuration; ++i) heard.push_back(-1);
  }
  void put(uint16_t number, size_t bytes = kDuration) {
    std::vector<uint8_t> payload(bytes, static_cast<uint8_t>(number));
    RtpPacket packet;
    packet.sequence = static_cast<uint16_t>(first_sequence + number);
    packet.timestamp = number * kDuration;
    packet.payload = payload.data();
    packet.payload_bytes = bytes;
    sequencer.put(packet, now_ns);
  }
  void advance_ms(int64_t ms) {
    for (int64_t i = 0; i < ms; ++i) {
      now_ns += kMs;
      if (sequencer.due_ns() != 0 && now_ns >= sequencer.due_ns()) sequencer.give_up(now_ns);
    }
  }

  PacketSequencer sequencer{*this};
  const uint16_t first_sequence = 65530;  // wraps soon
  int64_t now_ns = 1000 * kMs;
  std::vector<int> heard;
  std::vector<int64_t> arrivals;
  bool intact = true;  // the payloads are those of their packets
};

std::vector<int> numbers(int count) {
  std::vector<int> list;
  for (int i = 0; i < count; ++i) list.push_back(i);
  return list;
}

}  // namespace

TEST_CASE("packets in sequence are passed on when they arrive") {
  OrderedListener listener;
  for (uint16_t n = 0; n < 50; ++n) {
    listener.put(n);
    CHECK(listener.heard.size() == n + 1u);
    listener.advance_ms(20);
  }
  CHECK(listener.heard == numbers(50));
  CHECK(listener.sequencer.due_ns() == 0);
}

TEST_CASE("a delayed stream is passed on whole, however late it is") {
  OrderedListener listener;
  listener.put(0);
  listener.advance_ms(150);
  for (uint16_t n = 1; n < 8; ++n) listener.put(n);
  CHECK(listener.heard == numbers(8));
}

TEST_CASE("packets out of order are put in order, with their payloads and times of arrival") {
  OrderedListener listener;
  for (const uint16_t n : {0, 2, 1, 5, 4, 3, 6}) {
    listener.put(n);
    listener.advance_ms(10);
  }
  CHECK(listener.heard == numbers(7));
  CHECK(listener.intact);
  CHECK(listener.arrivals[2] == 1010 * kMs);
}

TEST_CASE(
    "a missing packet is waited for 40 ms after the next one, then reported, and dropped if it comes later") {
  OrderedListener listener;
  listener.put(0);
  listener.advance_ms(40);
  CHECK(listener.sequencer.stats().max_wait_ns == 0);
  listener.put(2);
  CHECK(listener.sequencer.due_ns() == listener.now_ns + 40 * kMs);
  listener.advance_ms(20);
  listener.put(3);
  listener.advance_ms(19);
  CHECK(listener.heard == std::vector<int>{0});
  listener.advance_ms(1);
  CHECK(listener.heard == std::vector<int>{0, -1, 2, 3});
  listener.put(1);
  CHECK(listener.heard.size() == 4);
  CHECK(listener.sequencer.stats().late_packets == 1);
  CHECK(listener.sequencer.stats().max_wait_ns == 40 * kMs);
}

TEST_CASE("two gaps are each waited for") {
  OrderedListener listener;
  listener.put(0);
  listener.put(2);
  listener.advance_ms(30);
  listener.put(4);
  listener.advance_ms(10);
  CHECK(listener.heard == std::vector<int>{0, -1, 2});
  CHECK(listener.sequencer.due_ns() == listener.now_ns + 30 * kMs);
  listener.put(3);
  CHECK(listener.heard == std::vector<int>{0, -1, 2, 3, 4});
}

TEST_CASE("packets without audio count in the sequence, and a pause of the sender is no gap") {
  OrderedListener listener;
  listener.put(0);
  listener.put(1, 0);
  listener.put(2);
  CHECK(listener.heard == numbers(3));
  // The next in sequence, a second later in RTP time.
  const uint8_t payload = 3;
  RtpPacket packet;
  packet.sequence = static_cast<uint16_t>(listener.first_sequence + 3);
  packet.timestamp = 8000;
  packet.payload = &payload;
  packet.payload_bytes = 1;
  listener.sequencer.put(packet, listener.now_ns);
  CHECK(listener.heard == numbers(4));
}

TEST_CASE("more packets than can wait, or one that is too long to, give up what is missing at once") {
  OrderedListener listener;
  listener.put(0);
  for (uint16_t n = 2; n < 40; ++n) listener.put(n);
  CHECK(listener.heard.size() == 40);
  CHECK(listener.heard[1] == -1);
  listener.put(41);
  listener.put(43, PacketSequencer::kMaxPayloadBytes + 1);
  CHECK(std::vector<int>(listener.heard.begin() + 40, listener.heard.end()) ==
        std::vector<int>{-1, 41, -1, 43});
  CHECK(listener.intact);
}

TEST_CASE("a packet that is too long to wait comes between those that wait, in order") {
  OrderedListener listener;
  listener.put(0);
  listener.put(2);
  listener.put(6);
  listener.put(4, PacketSequencer::kMaxPayloadBytes + 1);
  CHECK(listener.heard == std::vector<int>{0, -1, 2, -1, 4});
  listener.put(5);
  CHECK(listener.heard == std::vector<int>{0, -1, 2, -1, 4, 5, 6});
}

TEST_CASE("a new stream begins with its next packet") {
  OrderedListener listener;
  listener.put(0);
  listener.put(2);
  listener.sequencer.restart();
  CHECK(listener.sequencer.due_ns() == 0);
  listener.put(30);
  listener.put(31);
  CHECK(listener.heard == std::vector<int>{0, 30, 31});
}

TEST_CASE("under random loss, delay and reordering each packet is passed on once, or reported missing") {
  struct Arrival {
    int64_t at_ms;
    uint16_t n;
  };
  std::minstd_rand random(11);
  for (const unsigned loss_percent : {0u, 1u, 5u, 20u}) {
    OrderedListener listener;
    std::vector<Arrival> arrivals;
    std::vector<int> expected = numbers(2000);
    for (uint16_t n = 0; n < 2000; ++n) {
      if (n > 0 && n < 1999 && random() % 100 < loss_percent)
        expected[n] = -1;
      else
        arrivals.push_back({int64_t{n} * 20 + (n > 0 ? static_cast<int64_t>(random() % 35) : 0), n});
    }
    std::stable_sort(arrivals.begin(), arrivals.end(),
                     [](const Arrival& a, const Arrival& b) { return a.at_ms < b.at_ms; });
    int64_t ms = 0;
    for (const Arrival& arrival : arrivals) {
      listener.advance_ms(arrival.at_ms - ms);
      ms = arrival.at_ms;
      listener.put(arrival.n);
    }
    listener.advance_ms(100);
    CAPTURE(loss_percent);
    CHECK(listener.heard == expected);
    CHECK(listener.intact);
    CHECK(listener.sequencer.stats().late_packets == 0);
  }
}

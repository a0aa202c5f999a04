#include "rtp/telephone_event.h"

#include <doctest/doctest.h>

#include <string_view>

using namespace patchbay::lib;

TEST_CASE("every digit is sent and reported once") {
  TelephoneEventSender sender;
  TelephoneEventReceiver receiver;
  uint32_t timestamp = 0xFFFFF000;
  for (char digit : std::string_view("0123456789*#ABCD")) {
    REQUIRE(sender.start(digit, timestamp, 100));
    CHECK_FALSE(sender.start('1', timestamp, 100));
    int packets = 0;
    int reported = 0;
    uint8_t payload[4];
    while (sender.active()) {
      CHECK(sender.next(payload) == (packets == 0));
      ++packets;
      if (auto got = receiver.add(sender.timestamp(), payload, sizeof(payload))) {
        CHECK(*got == digit);
        ++reported;
      }
    }
    CHECK(packets == 7);  // five of 20 ms, the last one twice more
    CHECK(reported == 1);
    CHECK((payload[1] & 0x80) != 0);
    CHECK(payload[2] * 256 + payload[3] == 800);
    timestamp += 1600;
  }
}

TEST_CASE("invalid digits are refused") {
  TelephoneEventSender sender;
  CHECK_FALSE(sender.start('E', 0, 100));
  CHECK_FALSE(sender.start('\0', 0, 100));
  TelephoneEventReceiver receiver;
  const uint8_t flash[4] = {16, 0, 0, 160};
  CHECK_FALSE(receiver.add(1, flash, 4));
  CHECK_FALSE(receiver.add(1, flash, 3));
}

TEST_CASE("late packets of an earlier event are not a new digit") {
  TelephoneEventReceiver receiver;
  const uint8_t five[4] = {5, 0x80, 0, 160};
  CHECK(receiver.add(1000, five, 4));
  CHECK(receiver.add(3000, five, 4));
  CHECK_FALSE(receiver.add(1000, five, 4));
}

TEST_CASE("digits are reported although the timestamps of the sender have begun anew") {
  TelephoneEventReceiver receiver;
  const uint8_t five[4] = {5, 0x80, 0, 160};
  CHECK(receiver.add(1'000'000, five, 4));
  CHECK_FALSE(receiver.add(1'000'000 - 65'535, five, 4));  // an end, late by the longest segment
  CHECK(receiver.add(1'000'000 - 100'000, five, 4));
  CHECK_FALSE(receiver.add(1'000'000 - 100'000, five, 4));
  CHECK(receiver.add(1'000'000 - 90'000, five, 4));
}

TEST_CASE("a key held for longer than one segment is one digit") {
  TelephoneEventReceiver receiver;
  const auto packet = [&receiver](uint32_t timestamp, uint32_t duration, bool end = false) {
    const uint8_t payload[4] = {5, static_cast<uint8_t>(end ? 0x8A : 0x0A),
                                static_cast<uint8_t>(duration >> 8), static_cast<uint8_t>(duration)};
    return receiver.add(timestamp, payload, sizeof(payload));
  };
  CHECK(packet(1000, 160) == '5');
  CHECK_FALSE(packet(1000, 0xFFFF));
  CHECK_FALSE(packet(1000 + 0xFFFF, 160));
  CHECK_FALSE(packet(1000 + 0xFFFF, 3200, true));
  CHECK(packet(1000 + 0xFFFF + 3200, 160) == '5');  // the event had ended, so the key was pressed again
}

TEST_CASE("the same key pressed twice is two digits, although all ends were lost") {
  TelephoneEventReceiver receiver;
  const uint8_t pressed[4] = {5, 10, 0, 160};
  const uint8_t held[4] = {5, 10, 2, 128};  // 640
  CHECK(receiver.add(1000, pressed, 4) == '5');
  CHECK_FALSE(receiver.add(1000, held, 4));
  CHECK(receiver.add(1000 + 640 + 320, pressed, 4) == '5');  // 40 ms later
  CHECK_FALSE(receiver.add(1000 + 640 + 320, held, 4));
}

TEST_CASE("a digit is reported although only its last end packet came") {
  TelephoneEventReceiver receiver;
  const uint8_t end[4] = {9, 0x8A, 3, 32};
  CHECK(receiver.add(1000, end, 4) == '9');
  CHECK_FALSE(receiver.add(1000, end, 4));
  const uint8_t next[4] = {8, 0x8A, 3, 32};
  CHECK(receiver.add(1800, next, 4) == '8');  // back to back
}

TEST_CASE("a segment at 48 kHz lasts 1.4 seconds") {
  TelephoneEventReceiver receiver;
  const uint8_t full[4] = {5, 10, 0xFF, 0xFF};
  const uint8_t begin[4] = {5, 10, 3, 0xC0};
  CHECK(receiver.add(0, begin, 4, 48000) == '5');
  CHECK_FALSE(receiver.add(0, full, 4, 48000));
  CHECK_FALSE(receiver.add(0xFFFF, begin, 4, 48000));
  CHECK_FALSE(receiver.add(0xFFFF, full, 4, 48000));
  CHECK_FALSE(receiver.add(2 * 0xFFFF + 2000, begin, 4, 48000));  // its first packets were lost
}

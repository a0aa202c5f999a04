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

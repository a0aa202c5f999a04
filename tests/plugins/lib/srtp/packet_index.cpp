#include "srtp/packet_index.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

TEST_CASE("the nearest index has the roll-over count of the highest, one more or one less") {
  CHECK(nearest_packet_index(0x1FFF0, 0xFFF1) == 0x1FFF1);
  CHECK(nearest_packet_index(0x1FFF0, 2) == 0x20002);
  CHECK(nearest_packet_index(0x20002, 0xFFF1) == 0x1FFF1);
  CHECK(nearest_packet_index(0x18000, 0x8001) == 0x18001);
}

TEST_CASE("an index is never below 0") {
  CHECK(nearest_packet_index(2, 0xFFF1) == 0xFFF1);
  CHECK(nearest_packet_index(0, 0x8001) == 0x8001);
}

TEST_CASE("the roll-over count grows each time that the sequence number wraps") {
  SentIndices indices;
  for (uint64_t i = 65000; i < 65000 + 200'000; ++i) REQUIRE(indices.use(static_cast<uint16_t>(i)) == i);
}

TEST_CASE("an index is not used twice, also out of order and across a wrap") {
  SentIndices indices;
  CHECK(indices.use(0xFFFE) == 0xFFFE);
  CHECK(indices.use(1) == 0x10001);
  CHECK(indices.use(0xFFFF) == 0xFFFF);
  CHECK(indices.use(0) == 0x10000);
  for (const uint16_t again : {0xFFFE, 0xFFFF, 0, 1}) CHECK_FALSE(indices.use(again));
  CHECK(indices.use(2) == 0x10002);
}

TEST_CASE("an index that is too far back to know whether it was used is not used") {
  SentIndices indices;
  CHECK(indices.use(1000));
  CHECK(indices.use(1000 - 63));
  CHECK_FALSE(indices.use(1000 - 64));
}

#include "legs/digit_merger.h"

#include <doctest/doctest.h>

using patchbay::sip_trunk::DigitMerger;
using Source = DigitMerger::Source;

TEST_CASE("digits of one source are all new") {
  DigitMerger merger;
  for (int i = 0; i < 100; ++i) CHECK(merger.accept(Source::media, '5', i * 150));
}

TEST_CASE("a digit that comes in both ways is reported once, in whatever order") {
  DigitMerger merger;
  CHECK(merger.accept(Source::media, '1', 0));
  CHECK_FALSE(merger.accept(Source::info, '1', 100));
  CHECK(merger.accept(Source::info, '1', 200));
  CHECK_FALSE(merger.accept(Source::media, '1', 300));
  CHECK(merger.accept(Source::media, '2', 400));
  CHECK(merger.accept(Source::media, '2', 550));
  CHECK(merger.accept(Source::media, '3', 700));
  CHECK_FALSE(merger.accept(Source::info, '2', 750));
  CHECK_FALSE(merger.accept(Source::info, '2', 800));
  CHECK_FALSE(merger.accept(Source::info, '3', 850));
}

TEST_CASE("another digit, and the same after more than a second, are new") {
  DigitMerger merger;
  CHECK(merger.accept(Source::media, '1', 0));
  CHECK(merger.accept(Source::info, '2', 10));
  CHECK(merger.accept(Source::info, '1', 1500));
}

TEST_CASE("an INFO that is repeated until it arrives is the digit of the media, of peers that send both") {
  DigitMerger merger;
  CHECK(merger.accept(Source::media, '1', 0));
  CHECK_FALSE(merger.accept(Source::info, '1', 50));
  CHECK(merger.accept(Source::media, '2', 1000));
  CHECK_FALSE(merger.accept(Source::info, '2', 4500));  // after the third repetition
  CHECK(merger.accept(Source::media, '3', 5000));
  CHECK(merger.accept(Source::info, '3', 9500));  // too late
  CHECK(merger.accept(Source::info, '4', 10'000));
  CHECK(merger.accept(Source::media, '4', 11'500));  // media is never late
}

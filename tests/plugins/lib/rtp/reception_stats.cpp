#include "rtp/reception_stats.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;
using Verdict = ReceptionStats::Verdict;

TEST_CASE("sequence numbers wrap without loss") {
  ReceptionStats reception;
  reception.start(1, 65530);
  uint32_t timestamp = 0;
  for (uint16_t sequence = 65530; sequence != 10; ++sequence, timestamp += 160)
    CHECK(reception.add(sequence, timestamp, timestamp) == Verdict::fresh);
  CHECK(reception.lost() == 0);
  CHECK(reception.jitter() == 0);
  CHECK(reception.report(0).highest_sequence == 65536 + 9);
}

TEST_CASE("loss, duplicates and reordering are counted") {
  ReceptionStats reception;
  reception.start(1, 100);
  reception.add(100, 0, 0);
  reception.add(103, 480, 480);
  CHECK(reception.lost() == 2);
  CHECK(reception.add(101, 160, 500) == Verdict::fresh);
  CHECK(reception.lost() == 1);
  CHECK(reception.add(101, 160, 500) == Verdict::duplicate);
  CHECK(reception.add(103, 480, 500) == Verdict::duplicate);
  CHECK(reception.duplicates() == 2);
  const auto block = reception.report(0);
  CHECK(block.cumulative_lost == 1);
  CHECK(block.fraction_lost == 64);
  CHECK(reception.report(0).fraction_lost == 0);
}

TEST_CASE("packets before the start or the window are handled") {
  ReceptionStats reception;
  reception.start(1, 100);
  reception.add(100, 0, 0);
  CHECK(reception.add(99, 0, 0) == Verdict::fresh);
  for (uint16_t sequence = 101; sequence < 300; ++sequence) reception.add(sequence, 0, 0);
  CHECK(reception.add(150, 0, 0) == Verdict::too_old);
  CHECK(reception.lost() == 0);
}

TEST_CASE("a large jump of sequence numbers restarts the statistics") {
  ReceptionStats reception;
  reception.start(1, 100);
  reception.add(100, 0, 0);
  CHECK(reception.add(20000, 0, 0) == Verdict::fresh);
  CHECK(reception.lost() == 0);
  CHECK(reception.add(20001, 0, 0) == Verdict::fresh);
}

TEST_CASE("the delay since the last sender report is in 1/65536 s") {
  ReceptionStats reception;
  reception.start(1, 100);
  reception.add(100, 0, 0);
  CHECK(reception.report(5).last_sr == 0);
  reception.sender_report(0x1122334455667788, 1'000'000'000);
  const auto block = reception.report(1'500'000'000);
  CHECK(block.last_sr == 0x33445566);
  CHECK(block.delay_since_last_sr == 32768);
}

TEST_CASE("a sender that goes back to lower numbers is followed after two packets in sequence") {
  for (int back : {100, 500, 2900}) {
    CAPTURE(back);
    ReceptionStats reception;
    reception.start(1, 10'000);
    for (uint16_t sequence = 10'000; sequence < 10'100; ++sequence) reception.add(sequence, 0, 0);
    const auto lower = static_cast<uint16_t>(10'099 - back);
    CHECK(reception.add(lower, 0, 0) == Verdict::too_old);
    CHECK(reception.restarts() == 0);
    CHECK(reception.add(static_cast<uint16_t>(lower + 1), 0, 0) == Verdict::fresh);
    CHECK(reception.restarts() == 1);
    CHECK(reception.add(static_cast<uint16_t>(lower + 2), 0, 0) == Verdict::fresh);
    CHECK(reception.lost() == 0);
  }
}

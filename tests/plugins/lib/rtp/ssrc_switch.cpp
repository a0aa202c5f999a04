#include "rtp/ssrc_switch.h"

#include <doctest/doctest.h>

using patchbay::lib::SsrcSwitch;
using SwitchVerdict = SsrcSwitch::Verdict;

TEST_CASE("the first packet sets the SSRC") {
  SsrcSwitch ssrc;
  CHECK_FALSE(ssrc.has_ssrc());
  CHECK(ssrc.accept(7, 100) == SwitchVerdict::switched);
  CHECK(ssrc.has_ssrc());
  CHECK(ssrc.ssrc() == 7);
  CHECK(ssrc.accept(7, 90) == SwitchVerdict::current);
}

TEST_CASE("another SSRC replaces the stream with its second packet in sequence") {
  SsrcSwitch ssrc;
  (void)ssrc.accept(7, 100);
  CHECK(ssrc.accept(8, 500) == SwitchVerdict::refused);
  CHECK(ssrc.ssrc() == 7);
  CHECK(ssrc.accept(8, 501) == SwitchVerdict::switched);
  CHECK(ssrc.ssrc() == 8);
  CHECK(ssrc.accept(8, 502) == SwitchVerdict::current);
}

TEST_CASE("packets that are not in sequence, or of several SSRCs, confirm none") {
  SsrcSwitch ssrc;
  (void)ssrc.accept(7, 100);
  CHECK(ssrc.accept(8, 500) == SwitchVerdict::refused);
  CHECK(ssrc.accept(8, 500) == SwitchVerdict::refused);
  CHECK(ssrc.accept(8, 502) == SwitchVerdict::refused);
  CHECK(ssrc.accept(9, 503) == SwitchVerdict::refused);
  CHECK(ssrc.accept(8, 503) == SwitchVerdict::refused);
  CHECK(ssrc.ssrc() == 7);
}

TEST_CASE("a packet of the stream discards the candidate") {
  SsrcSwitch ssrc;
  (void)ssrc.accept(7, 100);
  CHECK(ssrc.accept(8, 500) == SwitchVerdict::refused);
  CHECK(ssrc.accept(7, 101) == SwitchVerdict::current);
  CHECK(ssrc.accept(8, 501) == SwitchVerdict::refused);
  CHECK(ssrc.accept(8, 502) == SwitchVerdict::switched);
}

TEST_CASE("sequence numbers wrap around") {
  SsrcSwitch ssrc;
  (void)ssrc.accept(7, 100);
  CHECK(ssrc.accept(8, 65535) == SwitchVerdict::refused);
  CHECK(ssrc.accept(8, 0) == SwitchVerdict::switched);
}

TEST_CASE("an SSRC of 0 is an SSRC") {
  SsrcSwitch ssrc;
  CHECK(ssrc.accept(0, 1) == SwitchVerdict::switched);
  CHECK(ssrc.accept(0, 2) == SwitchVerdict::current);
}

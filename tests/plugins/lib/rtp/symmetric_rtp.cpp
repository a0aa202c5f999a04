#include "rtp/symmetric_rtp.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

TEST_CASE("only one of the peer's own addresses is accepted") {
  const auto at = [](const char* ip, uint16_t port) { return *SocketAddress::parse(ip, port); };
  const auto sdp = at("192.0.2.1", 5000);
  const auto signalling = at("198.51.100.7", 5060);
  const auto attacker = at("203.0.113.9", 5000);
  SymmetricRtp latch;
  CHECK_FALSE(latch.accept_media(attacker));
  latch.set_remote(sdp, signalling);
  CHECK_FALSE(latch.accept_media(attacker));
  CHECK(latch.destination() == sdp);

  SUBCASE("the SDP's address") {
    CHECK(latch.accept_media(sdp));
    CHECK_FALSE(latch.accept_media(at("192.0.2.1", 5002)));
    CHECK_FALSE(latch.accept_media(at("198.51.100.7", 6000)));
    CHECK(latch.accept_rtcp(at("192.0.2.1", 5001)));
    CHECK_FALSE(latch.accept_rtcp(attacker));
  }
  SUBCASE("the signalling host, until packets come from the SDP's address") {
    const auto behind_nat = at("198.51.100.7", 6000);
    CHECK(latch.accept_media(behind_nat));
    CHECK(latch.destination() == behind_nat);
    CHECK_FALSE(latch.accept_media(at("198.51.100.7", 6002)));
    CHECK_FALSE(latch.accept_media(at("192.0.2.1", 5002)));
    latch.set_remote(sdp, signalling);
    CHECK(latch.destination() == behind_nat);
    CHECK(latch.accept_media(sdp));
    CHECK_FALSE(latch.accept_media(behind_nat));
    CHECK(latch.destination() == sdp);
  }
  SUBCASE("a re-INVITE moves the remote") {
    CHECK(latch.accept_media(sdp));
    const auto moved = at("192.0.2.1", 7000);
    latch.set_remote(moved, signalling);
    CHECK(latch.destination() == moved);
    CHECK(latch.accept_media(moved));
    CHECK_FALSE(latch.accept_media(sdp));
  }
  SUBCASE("a peer that holds the call by 0.0.0.0 gets nothing until it sends") {
    latch.set_remote(at("0.0.0.0", 5000), signalling);
    CHECK_FALSE(latch.destination().valid());
    CHECK_FALSE(latch.accept_rtcp(at("0.0.0.0", 5001)));
    CHECK(latch.accept_media(at("198.51.100.7", 6000)));
    CHECK(latch.destination() == at("198.51.100.7", 6000));
  }
  SUBCASE("only the SDP's host when the signalling host is not allowed") {
    latch.set_remote(sdp, SocketAddress{});
    CHECK_FALSE(latch.accept_media(at("198.51.100.7", 6000)));
    CHECK(latch.accept_media(at("192.0.2.1", 5002)));
  }
}

#include "rtp/rtcp_session.h"

#include <doctest/doctest.h>

#include <array>

using namespace patchbay::lib;

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

RtcpSession::Options options(uint32_t ssrc) {
  RtcpSession::Options out;
  out.ssrc = ssrc;
  out.cname = "test";
  out.wall_offset_ns = 1'800'000'000 * kSecondNs;
  return out;
}

// A report of `from`, read by `to`.
bool exchange(RtcpSession& from, ReceptionStats* at_from, RtcpSession& to, ReceptionStats* at_to,
              int64_t now_ns) {
  std::array<uint8_t, 512> packet;
  const size_t size = from.write({1600, 10, 1600}, at_from, false, now_ns, packet.data(), packet.size());
  CHECK(size > 0);
  return to.read(packet.data(), size, at_to, now_ns);
}

}  // namespace

TEST_CASE("the first report comes after 2.5 s, further ones after 2.5 to 7.5 s") {
  RtcpSession session(options(7));
  CHECK_FALSE(session.is_due(2'499'000'000));
  CHECK(session.is_due(2'500'000'000));
  std::array<uint8_t, 512> packet;
  int64_t now_ns = 2'500'000'000;
  for (int i = 0; i < 50; ++i) {
    CHECK(session.write({}, nullptr, false, now_ns, packet.data(), packet.size()) > 0);
    CHECK_FALSE(session.is_due(now_ns + 2'490'000'000));
    CHECK(session.is_due(now_ns + 7'500'000'000));
    now_ns += 5 * kSecondNs + i * 20'000'000;
  }
}

TEST_CASE("the peer's report gives the loss of our packets and the round-trip time") {
  RtcpSession ours(options(7)), peer(options(8));
  ReceptionStats at_ours, at_peer;
  at_ours.start(8, 1);
  at_peer.start(7, 1);
  for (uint16_t sequence : {1, 3, 4, 5}) (void)at_peer.add(sequence, sequence * 160U, sequence * 160U);
  CHECK(exchange(ours, &at_ours, peer, &at_peer, kSecondNs));
  CHECK_FALSE(ours.peer_report().received);
  CHECK(exchange(peer, &at_peer, ours, &at_ours, kSecondNs + kSecondNs / 4));
  CHECK(ours.peer_report().received);
  CHECK(ours.peer_report().fraction_lost == 256 / 5);
  // The peer reported at once, as far as its own clock is concerned.
  CHECK(ours.peer_report().round_trip_us < 1000);
}

TEST_CASE("reports about other streams are ignored") {
  RtcpSession ours(options(7)), peer(options(8));
  ReceptionStats at_peer;
  at_peer.start(99, 1);
  CHECK(exchange(peer, &at_peer, ours, nullptr, kSecondNs));
  CHECK_FALSE(ours.peer_report().received);
}

TEST_CASE("an invalid packet is refused") {
  RtcpSession session(options(7));
  const std::array<uint8_t, 8> junk = {0x80, 200, 0, 9, 0, 0, 0, 1};
  CHECK_FALSE(session.read(junk.data(), junk.size(), nullptr, 0));
}

TEST_CASE("a buffer that is too small holds no report") {
  RtcpSession session(options(7));
  std::array<uint8_t, 16> packet;
  CHECK(session.write({}, nullptr, true, 0, packet.data(), packet.size()) == 0);
}

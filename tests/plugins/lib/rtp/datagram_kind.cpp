#include "rtp/datagram_kind.h"

#include <doctest/doctest.h>

#include <vector>

using namespace patchbay::lib;

namespace {

DatagramKind kind_of(const std::vector<uint8_t>& bytes) { return datagram_kind(bytes.data(), bytes.size()); }

}  // namespace

TEST_CASE("the first byte tells the protocol, as in RFC 7983") {
  for (int first = 0; first < 256; ++first) {
    CAPTURE(first);
    const DatagramKind kind = kind_of({static_cast<uint8_t>(first), 0, 0, 0});
    if (first < 4)
      CHECK(kind == DatagramKind::stun);
    else if (first >= 16 && first < 20)
      CHECK(kind == DatagramKind::zrtp);
    else if (first >= 20 && first < 64)
      CHECK(kind == DatagramKind::dtls);
    else if (first >= 64 && first < 80)
      CHECK(kind == DatagramKind::turn_channel);
    else if (first >= 128 && first < 192)
      CHECK(kind == DatagramKind::rtp);
    else
      CHECK(kind == DatagramKind::unknown);
  }
}

TEST_CASE("the second byte tells RTCP from RTP, as in RFC 5761") {
  CHECK(kind_of({0x80, 200}) == DatagramKind::rtcp);
  CHECK(kind_of({0x80, 191}) == DatagramKind::rtp);
  CHECK(kind_of({0x80, 224}) == DatagramKind::rtp);
  CHECK(kind_of({0x80, 0x80 | 72}) == DatagramKind::rtcp);
}

TEST_CASE("less than two bytes are of no protocol") {
  CHECK(kind_of({}) == DatagramKind::unknown);
  CHECK(kind_of({0x80}) == DatagramKind::unknown);
}

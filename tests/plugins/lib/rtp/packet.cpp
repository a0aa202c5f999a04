#include "rtp/packet.h"

#include <doctest/doctest.h>

#include <vector>

using namespace patchbay::lib;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes packet(uint8_t first, size_t body) {
  Bytes bytes(12 + body, 0x11);
  bytes[0] = first;
  bytes[1] = 0;
  return bytes;
}

std::optional<RtpPacket> parse(const Bytes& bytes) { return parse_rtp(bytes.data(), bytes.size()); }

}  // namespace

TEST_CASE("a written header is parsed back") {
  RtpPacket out;
  out.payload_type = 101;
  out.marker = true;
  out.sequence = 0xFFFE;
  out.timestamp = 0x80000001;
  out.ssrc = 0xDEADBEEF;
  Bytes bytes(kRtpHeaderBytes + 3, 7);
  write_rtp_header(out, bytes.data());
  auto in = parse(bytes);
  REQUIRE(in);
  CHECK(in->payload_type == 101);
  CHECK(in->marker);
  CHECK(in->sequence == 0xFFFE);
  CHECK(in->timestamp == 0x80000001);
  CHECK(in->ssrc == 0xDEADBEEF);
  CHECK(in->payload_bytes == 3);
  CHECK(in->payload == bytes.data() + 12);
}

TEST_CASE("CSRCs, extension and padding are left out of the payload") {
  auto bytes = packet(0x80 | 0x20 | 0x10 | 2, 8 + 4 + 4 + 10);
  bytes[12 + 8 + 2] = 0;
  bytes[12 + 8 + 3] = 1;  // one word of extension
  bytes.back() = 4;
  auto in = parse(bytes);
  REQUIRE(in);
  CHECK(in->payload_bytes == 6);
  CHECK(in->payload == bytes.data() + 12 + 8 + 8);
}

TEST_CASE("wrong lengths are refused") {
  CHECK_FALSE(parse(Bytes{}));
  CHECK_FALSE(parse(Bytes(11, 0x80)));
  CHECK_FALSE(parse(packet(0x40, 20)));       // version 1
  CHECK_FALSE(parse(packet(0x80 | 15, 20)));  // CSRCs beyond the end
  CHECK_FALSE(parse(packet(0x80 | 0x10, 3)));
  auto extension = packet(0x80 | 0x10, 8);
  extension[14] = 0xFF;
  extension[15] = 0xFF;
  CHECK_FALSE(parse(extension));
  auto padding = packet(0x80 | 0x20, 4);
  padding.back() = 5;
  CHECK_FALSE(parse(padding));
  padding.back() = 0;
  CHECK_FALSE(parse(padding));
  padding.back() = 255;
  CHECK_FALSE(parse(padding));
  padding.back() = 4;
  REQUIRE(parse(padding));
  CHECK(parse(padding)->payload_bytes == 0);
  CHECK_FALSE(parse(Bytes(1501, 0x80)));
}

TEST_CASE("RTCP on the RTP port is recognised") {
  auto bytes = packet(0x80, 20);
  for (int type = 0; type < 256; ++type) {
    bytes[1] = static_cast<uint8_t>(type);
    CHECK(is_rtcp(bytes.data(), bytes.size()) == (type >= 192 && type <= 223));
    CHECK(parse(bytes).has_value() != is_rtcp(bytes.data(), bytes.size()));
  }
}

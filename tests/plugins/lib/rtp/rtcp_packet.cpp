#include "rtp/rtcp_packet.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace patchbay::lib;

namespace {

struct Recorder final : RtcpListener {
  void on_sender_report(uint32_t ssrc, const SenderInfo& info) noexcept override {
    sender_ssrc = ssrc;
    sender = info;
  }
  void on_report_block(uint32_t, const ReportBlock& block) noexcept override { blocks.push_back(block); }
  void on_bye(uint32_t ssrc) noexcept override { byes.push_back(ssrc); }

  uint32_t sender_ssrc = 0;
  SenderInfo sender;
  std::vector<ReportBlock> blocks;
  std::vector<uint32_t> byes;
};

}  // namespace

TEST_CASE("a written compound packet is parsed back") {
  SenderInfo sender{0x0123456789ABCDEF, 1600, 10, 1600};
  ReportBlock block{7, 64, -3, 70000, 12, 99, 100};
  for (size_t length = 0; length < 9; ++length) {
    RtcpReport report;
    report.ssrc = 42;
    report.sender = &sender;
    report.block = &block;
    const std::string cname(length, 'c');
    report.cname = cname;
    report.bye = true;
    uint8_t out[160];
    const size_t size = write_rtcp(report, out, sizeof(out));
    REQUIRE(size > 0);
    CHECK(size % 4 == 0);
    Recorder in;
    CHECK(parse_rtcp(out, size, in));
    CHECK(in.sender_ssrc == 42);
    CHECK(in.sender.ntp == sender.ntp);
    CHECK(in.sender.octets == 1600);
    REQUIRE(in.blocks.size() == 1);
    CHECK(in.blocks[0].cumulative_lost == -3);
    CHECK(in.blocks[0].highest_sequence == 70000);
    CHECK(in.blocks[0].delay_since_last_sr == 100);
    CHECK(in.byes == std::vector<uint32_t>{42});
  }
}

TEST_CASE("a report that does not fit is not written") {
  uint8_t out[20];
  RtcpReport report;
  report.cname = "a-name-too-long";
  CHECK(write_rtcp(report, out, sizeof(out)) == 0);
}

TEST_CASE("every truncation and every wrong count is refused") {
  SenderInfo sender;
  ReportBlock block;
  RtcpReport report;
  report.sender = &sender;
  report.block = &block;
  report.cname = "x";
  uint8_t out[160];
  const size_t size = write_rtcp(report, out, sizeof(out));
  for (size_t cut = 0; cut < size; ++cut) {
    // A copy of the exact size lets the address sanitizer see a read past the end.
    std::vector<uint8_t> bytes(out, out + cut);
    Recorder in;
    const bool at_boundary = cut == 52;
    CHECK(parse_rtcp(bytes.data(), bytes.size(), in) == at_boundary);
  }
  std::vector<uint8_t> bytes(out, out + size);
  bytes[0] = 0x80 | 31;
  Recorder in;
  CHECK_FALSE(parse_rtcp(bytes.data(), bytes.size(), in));
  CHECK(in.blocks.empty());
}

TEST_CASE("four bytes of RTCP are ignored") {
  const std::vector<uint8_t> bytes{0x80, 200, 0, 0};
  Recorder in;
  CHECK_FALSE(parse_rtcp(bytes.data(), bytes.size(), in));
}

TEST_CASE("a BYE with a count beyond its length is refused") {
  const std::vector<uint8_t> bytes{0x80 | 5, 203, 0, 1, 0, 0, 0, 1};
  Recorder in;
  CHECK_FALSE(parse_rtcp(bytes.data(), bytes.size(), in));
  CHECK(in.byes.empty());
}

#include "rtp/rtcp_packet.h"

#include <algorithm>
#include <cstring>

#include "rtp/bytes.h"

namespace patchbay::lib {
namespace {

constexpr uint8_t kSenderReport = 200;
constexpr uint8_t kReceiverReport = 201;
constexpr uint8_t kSourceDescription = 202;
constexpr uint8_t kGoodbye = 203;
constexpr size_t kBlockBytes = 24;
constexpr size_t kSenderInfoBytes = 20;

ReportBlock read_block(const uint8_t* at) {
  ReportBlock block;
  block.ssrc = read_u32(at);
  block.fraction_lost = at[4];
  const uint32_t lost = read_u32(at + 4) & 0xFFFFFF;
  block.cumulative_lost = static_cast<int32_t>(lost << 8) >> 8;
  block.highest_sequence = read_u32(at + 8);
  block.jitter = read_u32(at + 12);
  block.last_sr = read_u32(at + 16);
  block.delay_since_last_sr = read_u32(at + 20);
  return block;
}

void write_block(const ReportBlock& block, uint8_t* at) {
  write_u32(at, block.ssrc);
  const int32_t lost = std::clamp(block.cumulative_lost, -0x800000, 0x7FFFFF);
  write_u32(at + 4,
            static_cast<uint32_t>(block.fraction_lost) << 24 | (static_cast<uint32_t>(lost) & 0xFFFFFF));
  write_u32(at + 8, block.highest_sequence);
  write_u32(at + 12, block.jitter);
  write_u32(at + 16, block.last_sr);
  write_u32(at + 20, block.delay_since_last_sr);
}

void write_header(uint8_t* at, uint8_t type, size_t count, size_t bytes) {
  at[0] = static_cast<uint8_t>(0x80 | count);
  at[1] = type;
  write_u16(at + 2, static_cast<uint16_t>(bytes / 4 - 1));
}

// Parses one SR or RR of `bytes` bytes, the length from its header.
bool parse_report(const uint8_t* part, size_t bytes, RtcpListener& listener) {
  const size_t count = part[0] & 0x1F;
  const bool from_sender = part[1] == kSenderReport;
  size_t at = from_sender ? 8 + kSenderInfoBytes : 8;
  if (at + count * kBlockBytes > bytes) return false;
  const uint32_t ssrc = read_u32(part + 4);
  if (from_sender) {
    SenderInfo info;
    info.ntp = static_cast<uint64_t>(read_u32(part + 8)) << 32 | read_u32(part + 12);
    info.rtp_timestamp = read_u32(part + 16);
    info.packets = read_u32(part + 20);
    info.octets = read_u32(part + 24);
    listener.on_sender_report(ssrc, info);
  }
  for (size_t i = 0; i < count; ++i, at += kBlockBytes) listener.on_report_block(ssrc, read_block(part + at));
  return true;
}

bool parse_bye(const uint8_t* part, size_t bytes, RtcpListener& listener) {
  const size_t count = part[0] & 0x1F;
  if (4 + count * 4 > bytes) return false;
  for (size_t i = 0; i < count; ++i) listener.on_bye(read_u32(part + 4 + i * 4));
  return true;
}

}  // namespace

bool parse_rtcp(const uint8_t* data, size_t size, RtcpListener& listener) noexcept {
  if (size < 8) return false;
  while (size > 0) {
    if (size < 4 || data[0] >> 6 != 2) return false;
    const size_t bytes = (size_t{read_u16(data + 2)} + 1) * 4;
    if (bytes > size) return false;
    bool valid = true;
    if (data[1] == kSenderReport || data[1] == kReceiverReport) {
      valid = bytes >= 8 && parse_report(data, bytes, listener);
    } else if (data[1] == kGoodbye) {
      valid = parse_bye(data, bytes, listener);
    }
    if (!valid) return false;
    data += bytes;
    size -= bytes;
  }
  return true;
}

size_t write_rtcp(const RtcpReport& report, uint8_t* out, size_t capacity) noexcept {
  const std::string_view cname = report.cname.substr(0, 255);
  const size_t blocks = report.block != nullptr ? 1 : 0;
  const size_t report_bytes = 8 + (report.sender != nullptr ? kSenderInfoBytes : 0) + blocks * kBlockBytes;
  const size_t sdes_bytes =
      (8 + 2 + cname.size() + 1 + 3) / 4 * 4;  // the item list ends with at least one zero
  const size_t total = report_bytes + sdes_bytes + (report.bye ? 8 : 0);
  if (total > capacity) return 0;
  std::memset(out, 0, total);

  write_header(out, report.sender != nullptr ? kSenderReport : kReceiverReport, blocks, report_bytes);
  write_u32(out + 4, report.ssrc);
  size_t at = 8;
  if (report.sender != nullptr) {
    write_u32(out + 8, static_cast<uint32_t>(report.sender->ntp >> 32));
    write_u32(out + 12, static_cast<uint32_t>(report.sender->ntp));
    write_u32(out + 16, report.sender->rtp_timestamp);
    write_u32(out + 20, report.sender->packets);
    write_u32(out + 24, report.sender->octets);
    at += kSenderInfoBytes;
  }
  if (report.block != nullptr) write_block(*report.block, out + at);

  uint8_t* sdes = out + report_bytes;
  write_header(sdes, kSourceDescription, 1, sdes_bytes);
  write_u32(sdes + 4, report.ssrc);
  sdes[8] = 1;  // CNAME
  sdes[9] = static_cast<uint8_t>(cname.size());
  if (!cname.empty()) std::memcpy(sdes + 10, cname.data(), cname.size());

  if (report.bye) {
    write_header(sdes + sdes_bytes, kGoodbye, 1, 8);
    write_u32(sdes + sdes_bytes + 4, report.ssrc);
  }
  return total;
}

}  // namespace patchbay::lib

#include "websocket/frame.h"

#include <patchbay/utf8.h>

#include <cstring>

namespace patchbay::lib {
namespace {

constexpr uint8_t kFinal = 0x80, kReserved = 0x70, kOpcodeBits = 0x0F, kMasked = 0x80, kLengthBits = 0x7F;
constexpr uint8_t kLength16 = 126, kLength64 = 127;
constexpr size_t kMaskBytes = 4;

void append_big_endian(std::string& out, uint64_t value, int bytes) {
  while (bytes-- > 0) out += static_cast<char>(value >> (8 * bytes));
}

uint64_t big_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

// Copies with the mask applied, 16 bytes at a time.
void copy_masked(char* to, std::string_view from, uint32_t key) {
  using Block = uint64_t __attribute__((vector_size(16)));
  const uint64_t key_twice = uint64_t{key} << 32 | key;
  const Block keys = {key_twice, key_twice};
  size_t at = 0;
  for (; at + sizeof(Block) <= from.size(); at += sizeof(Block)) {
    Block block;
    std::memcpy(&block, from.data() + at, sizeof block);
    block ^= keys;
    std::memcpy(to + at, &block, sizeof block);
  }
  char bytes[kMaskBytes];
  std::memcpy(bytes, &key, sizeof bytes);
  for (; at < from.size(); ++at) to[at] = static_cast<char>(from[at] ^ bytes[at % kMaskBytes]);
}

std::optional<Opcode> opcode_of(uint8_t bits) {
  if (bits <= 2 || (bits >= 8 && bits <= 10)) return static_cast<Opcode>(bits);
  return std::nullopt;
}

void append_lengths(std::string& out, size_t payload_bytes, uint8_t mask_bit) {
  if (payload_bytes < kLength16) {
    out += static_cast<char>(mask_bit | payload_bytes);
  } else if (payload_bytes <= UINT16_MAX) {
    out += static_cast<char>(mask_bit | kLength16);
    append_big_endian(out, payload_bytes, 2);
  } else {
    out += static_cast<char>(mask_bit | kLength64);
    append_big_endian(out, payload_bytes, 8);
  }
}

FrameHeaderRead refuse(const char* why) { return {std::nullopt, why}; }

}  // namespace

void append_frame(std::string& out, Opcode opcode, std::string_view payload, uint32_t mask_key) {
  out += static_cast<char>(kFinal | static_cast<uint8_t>(opcode));
  append_lengths(out, payload.size(), kMasked);
  char key[kMaskBytes];
  std::memcpy(key, &mask_key, sizeof key);
  out.append(key, sizeof key);
  const size_t at = out.size();
  out.resize(at + payload.size());
  copy_masked(out.data() + at, payload, mask_key);
}

std::string server_frame_header(Opcode opcode, size_t payload_bytes) {
  std::string out(1, static_cast<char>(kFinal | static_cast<uint8_t>(opcode)));
  append_lengths(out, payload_bytes, 0);
  return out;
}

void apply_mask(char* bytes, size_t size, uint32_t mask_key) { copy_masked(bytes, {bytes, size}, mask_key); }

std::string close_payload(uint16_t code, std::string_view reason) {
  std::string out;
  append_big_endian(out, code, 2);
  out += clip_utf8(reason, kMaxControlBytes - 2);
  return out;
}

FrameHeaderRead read_frame_header(std::string_view bytes, Peer from) {
  if (bytes.size() < 2) return {};
  const auto first = static_cast<uint8_t>(bytes[0]), second = static_cast<uint8_t>(bytes[1]);
  const auto opcode = opcode_of(first & kOpcodeBits);
  if ((first & kReserved) != 0) return refuse("a frame with reserved bits");
  if (!opcode) return refuse("a frame of an unknown kind");
  const bool masked = (second & kMasked) != 0;
  if (masked != (from == Peer::client)) return refuse(masked ? "a masked frame" : "a frame without a mask");
  FrameHeader header;
  header.opcode = *opcode;
  header.final = (first & kFinal) != 0;
  const uint8_t length = second & kLengthBits;
  const size_t length_bytes = length == kLength64 ? 8 : length == kLength16 ? 2 : 0;
  if (is_control(*opcode) && (!header.final || length > kMaxControlBytes))
    return refuse("a control frame that is long or in parts");
  header.header_bytes = 2 + length_bytes + (masked ? kMaskBytes : 0);
  if (bytes.size() < header.header_bytes) return {};
  header.payload_bytes = length_bytes == 0 ? length : big_endian(bytes.substr(2, length_bytes));
  const uint64_t least = length_bytes == 0 ? 0 : length_bytes == 2 ? kLength16 : uint64_t{UINT16_MAX} + 1;
  if (header.payload_bytes < least || header.payload_bytes > INT64_MAX)
    return refuse("a frame whose length is not valid");
  if (masked) std::memcpy(&header.mask_key, bytes.data() + 2 + length_bytes, kMaskBytes);
  return {header, nullptr};
}

bool is_close_code(uint16_t code) {
  if (code >= 3000 && code < 5000) return true;
  return code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
}

}  // namespace patchbay::lib

#include "text/base64.h"

#include <array>
#include <cstdint>

namespace patchbay::lib {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kBad = 64, kSkip = 65, kEnd = 66;

constexpr std::array<uint8_t, 256> make_table() {
  std::array<uint8_t, 256> table{};
  for (auto& entry : table) entry = kBad;
  for (uint8_t i = 0; i < 64; ++i) table[static_cast<uint8_t>(kAlphabet[i])] = i;
  table['-'] = 62;
  table['_'] = 63;
  table['\r'] = table['\n'] = kSkip;
  table['='] = kEnd;
  return table;
}
constexpr auto kValues = make_table();

}  // namespace

void append_base64(std::string& out, const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  out.reserve(out.size() + (size + 2) / 3 * 4);
  size_t i = 0;
  for (; i + 2 < size; i += 3) {
    uint32_t group = uint32_t{bytes[i]} << 16 | uint32_t{bytes[i + 1]} << 8 | bytes[i + 2];
    char four[4] = {kAlphabet[group >> 18], kAlphabet[group >> 12 & 63], kAlphabet[group >> 6 & 63],
                    kAlphabet[group & 63]};
    out.append(four, 4);
  }
  if (i == size) return;
  uint32_t group = uint32_t{bytes[i]} << 16 | (i + 1 < size ? uint32_t{bytes[i + 1]} << 8 : 0);
  out += kAlphabet[group >> 18];
  out += kAlphabet[group >> 12 & 63];
  out += i + 1 < size ? kAlphabet[group >> 6 & 63] : '=';
  out += '=';
}

bool decode_base64(std::string_view text, std::string& out) {
  out.clear();
  out.reserve(text.size() / 4 * 3 + 3);
  uint32_t group = 0;
  int have = 0;
  bool ended = false;
  for (char c : text) {
    uint8_t value = kValues[static_cast<uint8_t>(c)];
    if (value == kSkip) continue;
    if (value == kEnd) {
      ended = true;
      continue;
    }
    if (value == kBad || ended) return false;
    group = group << 6 | value;
    if (++have == 4) {
      out += static_cast<char>(group >> 16);
      out += static_cast<char>(group >> 8);
      out += static_cast<char>(group);
      group = 0;
      have = 0;
    }
  }
  if (have == 1) return false;
  if (have == 2) out += static_cast<char>(group >> 4);
  if (have == 3) {
    out += static_cast<char>(group >> 10);
    out += static_cast<char>(group >> 2);
  }
  return true;
}

}  // namespace patchbay::lib

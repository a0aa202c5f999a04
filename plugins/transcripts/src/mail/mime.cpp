#include "mail/mime.h"

#include <patchbay/base64.h>
#include <patchbay/text.h>
#include <patchbay/utc.h>
#include <patchbay/utf8.h>

#include <algorithm>
#include <array>

namespace patchbay::transcripts {
namespace {

constexpr size_t kMaxLine = 76;
// 75 characters (RFC 2047 2) less "=?UTF-8?B?" and "?=", in base64, and a first line that has a header's
// name.
constexpr size_t kMaxWordBytes = 36;

bool is_plain(std::string_view text) {
  return text.find("=?") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7F; });
}

std::string without_controls(std::string_view text) {
  std::string out = valid_utf8(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return out;
}

std::string encoded_words(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view part = clip_utf8(text, kMaxWordBytes);
    if (!out.empty()) out += "\r\n ";
    out += "=?UTF-8?B?";
    append_base64(out, part);
    out += "?=";
    text.remove_prefix(part.size());
  }
  return out;
}

}  // namespace

std::string header_text(std::string_view text, size_t name_size) {
  const std::string clean = without_controls(text);
  if (is_plain(clean) && name_size + clean.size() <= kMaxLine) return clean;
  return encoded_words(clean);
}

std::string header_address(std::string_view name, std::string_view address, size_t name_size) {
  if (name.empty()) return std::string(address);
  const std::string clean = without_controls(name);
  const bool is_atoms = std::all_of(clean.begin(), clean.end(),
                                    [](char c) { return is_alphanumeric(c) || c == ' ' || c == '-'; });
  std::string out = is_atoms && name_size + clean.size() <= kMaxLine ? clean : encoded_words(clean);
  return out.append("\r\n <").append(address).append(">");
}

std::string header_date(int64_t time_ms) {
  constexpr std::array kDays{"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};  // 1970-01-01 was a Thursday
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr int64_t kDayMs = 86'400'000;
  time_ms = std::max<int64_t>(0, time_ms);
  const std::string utc = utc_text(time_ms);  // 2026-11-20T07:00:01.000Z
  const auto month = static_cast<size_t>((utc[5] - '0') * 10 + (utc[6] - '0') - 1);
  return std::string(kDays.at(static_cast<size_t>(time_ms / kDayMs % 7))) + ", " + utc.substr(8, 2) + " " +
         kMonths.at(month) + " " + utc.substr(0, 4) + " " + utc.substr(11, 8) + " +0000";
}

std::string base64_lines(std::string_view bytes) {
  std::string digits;
  append_base64(digits, bytes);
  std::string out;
  out.reserve(digits.size() + digits.size() / kMaxLine * 2 + 2);
  for (size_t at = 0; at < digits.size(); at += kMaxLine) out.append(digits, at, kMaxLine).append("\r\n");
  return out;
}

}  // namespace patchbay::transcripts

#include "request_target.h"

#include <algorithm>
#include <array>

namespace patchbay::rest_api {
namespace {

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_number_key(std::string_view key) noexcept {
  return is_name("did", key) || is_name("match", key) || is_name("fromNumber", key);
}

}  // namespace

bool is_name(std::string_view name, std::string_view written) noexcept {
  if (name.size() != written.size() || name.empty()) return false;
  const char first = written.front();
  const char lower = first >= 'A' && first <= 'Z' ? static_cast<char>(first + ('a' - 'A')) : first;
  return (name.front() == first || name.front() == lower) && name.substr(1) == written.substr(1);
}

bool is_valid_utf8(std::string_view text) noexcept {
  static constexpr std::array<uint32_t, 5> kMin = {0, 0, 0x80, 0x800, 0x10000};
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() - i < length) return false;
    uint32_t point = lead & (0xffU >> (length + 1));
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
      point = (point << 6) | (next & 0x3fU);
    }
    if (point < kMin[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return false;
    i += length;
  }
  return true;
}

Result<std::string> percent_decode(std::string_view raw, bool plus_is_space) {
  std::string out;
  out.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    char c = raw[i];
    if (c == '+' && plus_is_space) {
      c = ' ';
    } else if (c == '%') {
      const int high = i + 2 < raw.size() ? hex_value(raw[i + 1]) : -1;
      const int low = i + 2 < raw.size() ? hex_value(raw[i + 2]) : -1;
      if (high < 0 || low < 0) return {Code::invalid, "a percent sign is not followed by two hex digits"};
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return {Code::invalid, "a NUL character is not allowed"};
    out.push_back(c);
  }
  if (!is_valid_utf8(out)) return {Code::invalid, "the text is not valid UTF-8"};
  return out;
}

Result<std::string> decode_segment(std::string_view raw) {
  auto decoded = percent_decode(raw);
  if (decoded && (*decoded == "." || *decoded == ".."))
    return {Code::invalid, "dot segments are not allowed"};
  return decoded;
}

Query parse_query(std::string_view raw) {
  Query query;
  const auto fail = [&](std::string text) {
    if (!query.error) query.error = Error{Code::invalid, std::move(text)};
  };
  while (!raw.empty()) {
    const auto end = std::min(raw.find('&'), raw.size());
    const auto piece = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (piece.empty()) continue;
    const auto equals = std::min(piece.find('='), piece.size());
    auto key = percent_decode(piece.substr(0, equals), true);
    auto value = percent_decode(piece.substr(std::min(equals + 1, piece.size())), true);
    if (!key || !value) {
      fail("query: " + (key ? value : key).error().text);
      continue;
    }
    const auto same = [&](const auto& seen) {
      return is_name(seen.first, *key) || is_name(*key, seen.first);
    };
    if (std::any_of(query.values.begin(), query.values.end(), same)) {
      fail("query: the parameter " + *key + " is given twice");
      continue;
    }
    if (is_number_key(*key) && !value->empty() && value->front() == ' ') value->front() = '+';
    query.values.emplace_back(std::move(*key), std::move(*value));
  }
  return query;
}

}  // namespace patchbay::rest_api

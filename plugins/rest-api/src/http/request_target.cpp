#include "request_target.h"

#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include <algorithm>
#include <initializer_list>

#include "limits.h"

namespace patchbay::rest_api {
namespace {

bool is_any_of(std::string_view key, std::initializer_list<std::string_view> names) noexcept {
  return std::any_of(names.begin(), names.end(), [key](auto name) { return is_name(name, key); });
}

// Restores a `+` that the client forgot to encode, and that decoding made a space: in front of a number, and
// of the zone in a time ("2026-01-31T12:00+01:00", not between its date and hour).
void restore_plus(std::string_view key, std::string_view raw, std::string& value) {
  constexpr size_t kDateLength = std::string_view("2026-01-31").size();
  const bool begins_with_plus = !raw.empty() && raw.front() == '+';
  if (is_any_of(key, {"did", "match", "fromNumber"}) && !value.empty() && value.front() == ' ')
    value.front() = '+';
  if (is_any_of(key, {"q", "object"}) && begins_with_plus && value.size() > 1 &&
      is_digits(value.substr(1, 1)))
    value.front() = '+';
  if (!is_any_of(key, {"since", "until", "after"})) return;
  if (const size_t at = value.rfind(' '); at != std::string::npos && at > kDateLength) value[at] = '+';
}

}  // namespace

bool is_name(std::string_view name, std::string_view written) noexcept {
  return !name.empty() && equals_ignoring_case(name, written);
}

Result<std::string> decode_text(std::string_view raw, bool plus_is_space) {
  auto decoded = percent_decode(raw, plus_is_space);
  if (!decoded) return {Code::invalid, "a percent sign is not followed by two hex digits"};
  if (decoded->find('\0') != std::string::npos) return {Code::invalid, "a NUL character is not allowed"};
  if (!is_utf8(*decoded)) return {Code::invalid, "the text is not valid UTF-8"};
  return *std::move(decoded);
}

Result<std::string> decode_segment(std::string_view raw) {
  auto decoded = decode_text(raw);
  if (decoded && (*decoded == "." || *decoded == ".."))
    return {Code::invalid, "dot segments are not allowed"};
  return decoded;
}

Query parse_query(std::string_view raw) {
  Query query;
  const auto fail = [&](std::string text) {
    if (!query.error) query.error = Error{Code::invalid, std::move(text)};
  };
  // An unknown name may be long, and a sentence with it would not help.
  const auto named = [](const std::string& key) {
    return key.size() <= kMaxNamedParameter ? "the parameter " + key : std::string("a parameter");
  };
  for (size_t count = 0; !raw.empty();) {
    const auto end = std::min(raw.find('&'), raw.size());
    const auto piece = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (piece.empty()) continue;
    if (++count > kMaxQueryParameters) {
      fail("query: more than " + std::to_string(kMaxQueryParameters) + " parameters");
      break;
    }
    const auto equals = std::min(piece.find('='), piece.size());
    auto key = decode_text(piece.substr(0, equals), true);
    const auto raw_value = piece.substr(std::min(equals + 1, piece.size()));
    auto value = decode_text(raw_value, true);
    if (!key || !value) {
      fail("query: " + (key ? named(*key) + ": " : std::string()) + (key ? value : key).error().text);
      continue;
    }
    const auto same = [&](const auto& seen) { return equals_ignoring_case(seen.first, *key); };
    if (std::any_of(query.values.begin(), query.values.end(), same)) {
      fail("query: " + named(*key) + " is given twice");
      continue;
    }
    restore_plus(*key, raw_value, *value);
    query.values.emplace_back(std::move(*key), std::move(*value));
  }
  return query;
}

}  // namespace patchbay::rest_api

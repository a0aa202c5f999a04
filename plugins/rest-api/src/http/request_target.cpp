#include "request_target.h"

#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include <algorithm>

#include "limits.h"

namespace patchbay::rest_api {
namespace {

bool is_number_key(std::string_view key) noexcept {
  return is_name("did", key) || is_name("match", key) || is_name("fromNumber", key);
}

}  // namespace

bool is_name(std::string_view name, std::string_view written) noexcept {
  if (name.size() != written.size() || name.empty()) return false;
  const char first = written.front();
  return (name.front() == first || name.front() == lower(first)) && name.substr(1) == written.substr(1);
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
    auto value = decode_text(piece.substr(std::min(equals + 1, piece.size())), true);
    if (!key || !value) {
      // An unknown name may be long, and a sentence with it would not help.
      const bool named = key && key->size() <= kMaxNamedParameter;
      fail("query: " + (named ? "the parameter " + *key + ": " : std::string()) +
           (key ? value : key).error().text);
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

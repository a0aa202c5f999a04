// ranged(): the part of a response that the request's Range asks for (RFC 9110 section 14), so that players
// seek in audio and downloads continue.
//
//   http::Response whole;
//   whole.content_type = "audio/wav";
//   whole.bytes = audio;
//   reply(http::ranged(request, std::move(whole)));
//
// range_documents() describes such a route in /openapi.json.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../text.h"
#include "http.h"

namespace patchbay::http {

// The Route::documents of a route whose handler answers so.
inline std::string range_documents(std::string_view content_type) {
  JsonWriter out;
  out.object().member("replyType", content_type);
  out.key("requestHeaders")
      .object()
      .member("Range", "Asks for one part: bytes=0-499, bytes=500- or bytes=-500");
  out.end().key("replyHeaders").object().member("Accept-Ranges", "bytes");
  out.member("Content-Range", "Of a part: bytes 0-499/1234");
  out.end().key("statuses").object().member("200", "The whole content");
  out.member("206", "The part that Range asks for");
  out.member("416", "range_not_satisfiable: the part begins after the end");
  return std::move(out.end().end()).str();
}

namespace detail {

struct ByteRange {
  uint64_t first = 0, last = 0;
};

// Digits only; a number beyond the largest counts as that.
inline std::optional<uint64_t> read_position(std::string_view text) {
  if (text.empty()) return {};
  uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    const auto digit = static_cast<uint64_t>(c - '0');
    number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
  }
  return number;
}

// Reads "bytes=0-499", "bytes=500-" or "bytes=-500" (the last 500). nullopt: of another unit, of several
// parts or malformed, which RFC 9110 section 14.2 lets a server ignore. A range that begins at or after
// `size` has no byte of the content.
inline std::optional<ByteRange> read_range(std::string_view text, uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!equals_ignoring_case(text.substr(0, kUnit.size()), kUnit)) return {};
  text.remove_prefix(kUnit.size());
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {};
  const auto first = read_position(text.substr(0, dash));
  const auto last = read_position(text.substr(dash + 1));
  if (dash == 0) {
    if (!last) return {};
    return ByteRange{*last == 0 ? size : size - std::min(*last, size), size == 0 ? 0 : size - 1};
  }
  if (!first || (!last && dash + 1 != text.size()) || (last && *last < *first)) return {};
  return ByteRange{*first, std::min(last.value_or(UINT64_MAX), size == 0 ? 0 : size - 1)};
}

}  // namespace detail

// [any] Returns `whole`, with Accept-Ranges, or the part of it as 206, or 416 when it has no byte of that
// part. Range counts only in GET requests and for responses with 200, and with If-Range only if that is the
// response's ETag.
inline Response ranged(const Request& request, Response whole) {
  if (whole.status != 200) return whole;
  whole.headers.add("Accept-Ranges", "bytes");
  const std::string_view condition = request.headers.text("if-range");
  const std::string_view tag = whole.headers.text("ETag");
  const bool is_same = condition.empty() || (condition == tag && tag.substr(0, 2) != "W/");
  if (request.method != "GET" || request.is_head || !is_same) return whole;
  const std::string_view content = whole.bytes.size() > 0 ? whole.bytes.view() : std::string_view(whole.body);
  const auto range = detail::read_range(request.headers.text("range"), content.size());
  if (!range) return whole;
  const std::string size = std::to_string(content.size());
  if (range->first >= content.size()) {
    Response none = error(416, "range_not_satisfiable", "the content has " + size + " bytes");
    none.headers.add("Accept-Ranges", "bytes").add("Content-Range", "bytes */" + size);
    return none;
  }
  const std::string_view part = content.substr(range->first, range->last - range->first + 1);
  auto bytes = Buffer::try_copy(part);
  if (!bytes) return error(503, "unavailable", "there is no memory for this part");
  whole.status = 206;
  whole.headers.add("Content-Range",
                    "bytes " + std::to_string(range->first) + "-" + std::to_string(range->last) + "/" + size);
  whole.bytes = *std::move(bytes);
  whole.body.clear();
  return whole;
}

}  // namespace patchbay::http

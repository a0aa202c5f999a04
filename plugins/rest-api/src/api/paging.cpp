#include "paging.h"

#include <patchbay/json.h>
#include <patchbay/percent_encoding.h>

#include <algorithm>
#include <optional>

namespace patchbay::rest_api {
namespace {

constexpr size_t kMaxDigits = 15;

std::optional<int64_t> read_count(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.size() > kMaxDigits) text = "999999999999999";
  int64_t value = 0;
  for (const char c : text) value = value * 10 + (c - '0');
  return value;
}

std::string next_url(const Request& request, Page page, std::string_view cursor) {
  std::string url(request.path);
  url += '?';
  for (const auto& [key, value] : request.query) {
    if (is_name("limit", key) || is_name("offset", key) || is_name("cursor", key)) continue;
    url += percent_encode(key);
    url += '=';
    url += percent_encode(value);
    url += '&';
  }
  url += "limit=" + std::to_string(page.limit) + "&offset=" + std::to_string(page.offset + page.limit);
  return cursor.empty() ? url : url + "&cursor=" + percent_encode(cursor);
}

bool has_next(const PageInfo& info, Page page, const Request& request) {
  if (!info.cursor.empty()) return true;
  return request.query_value("cursor") == nullptr && page.offset + page.limit < info.total;
}

}  // namespace

Result<Page> read_page(const StringPairs& query) {
  Page page;
  for (const auto& [key, value] : query) {
    const bool is_limit = is_name("limit", key);
    if (!is_limit && !is_name("offset", key)) continue;
    const auto count = read_count(value);
    if (is_limit) {
      if (!count || *count < 1)
        return {Code::invalid, "limit must be a whole number of at least 1, such as 50"};
      page.limit = std::min(*count, kMaxLimit);
    } else {
      if (!count) return {Code::invalid, "offset must be a whole number of at least 0, such as 50"};
      page.offset = *count;
    }
  }
  return page;
}

void add_envelope(Response& response, const PageInfo& info, Page page, const Request& request) {
  std::string& body = response.body;
  const auto end = body.rfind('}');
  if (response.bytes.size() == 0 && end == std::string::npos) return;
  JsonWriter tail;
  tail.object()
      .member("total", info.total)
      .member("limit", page.limit)
      .member("offset", page.offset)
      .key("next");
  if (has_next(info, page, request))
    tail.value(next_url(request, page, info.cursor));
  else
    tail.null();
  tail.end();
  const std::string members = std::move(tail).str();
  if (response.bytes.size() > 0) {
    body = R"({"data":)";
    response.tail = "," + members.substr(1);
    return;
  }
  body.resize(end);
  const auto last = body.find_last_not_of(" \t\r\n");
  if (last == std::string::npos || body[last] != '{') body += ',';
  body.append(members, 1);
}

}  // namespace patchbay::rest_api

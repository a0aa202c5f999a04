#include "handler_request.h"

#include <patchbay/utf8.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>

namespace patchbay::rest_api {
namespace {

bool is_ascii(std::string_view text) {
  size_t at = 0;
  for (uint64_t block = 0; text.size() - at >= sizeof block; at += sizeof block) {
    std::memcpy(&block, text.data() + at, sizeof block);
    if ((block & 0x8080808080808080U) != 0) return false;
  }
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Returns `value`, or its conversion in `out`.
std::string_view utf8(std::string_view value, std::string& out) {
  if (is_ascii(value) || is_utf8(value)) return value;
  out.clear();
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xc0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return out;
}

}  // namespace

NameValues name_values(const StringPairs& values) {
  NameValues all;
  for (const auto& [name, value] : values) all.add(name, value);
  return all;
}

NameValues header_values(const std::vector<Field>& fields) {
  std::vector<const Field*> sorted;
  sorted.reserve(fields.size());
  for (const Field& field : fields) sorted.push_back(&field);
  std::sort(sorted.begin(), sorted.end(), [](const Field* a, const Field* b) {
    return std::tie(a->name, a) < std::tie(b->name, b);  // those of one name in the order sent
  });
  NameValues all;
  std::string converted, joined;
  for (auto at = sorted.begin(); at != sorted.end();) {
    const std::string_view name = (*at)->name;
    std::string_view value = utf8((*at)->value, converted);
    while (++at != sorted.end() && (*at)->name == name) {
      if (value.data() != joined.data()) joined = value;
      joined.append(name == "cookie" ? "; " : ", ").append(utf8((*at)->value, converted));
      value = joined;
    }
    all.add(name, value);
  }
  return all;
}

Status read_request(const Host& host, const Exchange& exchange, const RouteEntry& entry,
                    http::Request& request) {
  request.method = entry.route.method;
  request.is_head = exchange.method == Method::head;
  request.path = decode_text(exchange.path).value_or(std::string(exchange.path));
  request.params = name_values(exchange.params);
  PB_TRY_VALUE(request.query, entry.query.read(host, exchange.query));
  if (!exchange.body.empty()) {
    PB_TRY_VALUE(request.body, Buffer::try_copy(exchange.body));
  }
  request.headers = header_values(exchange.headers);
  request.remote = exchange.client;
  request.host = exchange.listener_role == kLocal ? std::string() : exchange.host;
  request.listener = listener_role_name(exchange.listener_role);
  return {};
}

}  // namespace patchbay::rest_api

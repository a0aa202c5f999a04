#include "handler_request.h"

#include <patchbay/utf8.h>

#include <map>
#include <string>

namespace patchbay::rest_api {
namespace {

std::string utf8(std::string_view value) {
  if (is_utf8(value)) return std::string(value);
  std::string out;
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
  std::map<std::string_view, std::string> joined;
  for (const auto& [name, value] : fields) {
    const auto [at, fresh] = joined.try_emplace(name, utf8(value));
    if (!fresh) at->second.append(name == "cookie" ? "; " : ", ").append(utf8(value));
  }
  NameValues all;
  for (const auto& [name, value] : joined) all.add(name, value);
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

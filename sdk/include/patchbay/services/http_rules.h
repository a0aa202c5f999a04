// The rules of patchbay.http for routes and responses. The server and the fake host of tests share them, so
// that they accept the same. [any]
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "../host.h"
#include "http.h"

namespace patchbay::http {

// The methods a route may have.
inline constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                             "PATCH", "DELETE", "OPTIONS"};

// What Route.max_body_bytes may be, so that a request with it fits a frame of an isolated plugin (16 MiB).
inline constexpr int64_t kMaxBodyBytes = 15 * 1024 * 1024;

// The path of a route as a list of segments; a parameter is "{}" in `segments` and its name is in `names`.
// Two paths are the same if their segments are; the names of parameters do not distinguish routes.
struct Pattern {
  std::vector<std::string> segments;
  std::vector<std::string> names;
};

// "/v1/calls/{id}". Error: the path does not begin with "/", has an empty segment, a parameter that is not a
// whole segment or is named twice, or a character that only means something elsewhere. A "/" at the end is
// ignored.
inline Result<Pattern> parse_path(std::string_view path) {
  const auto bad = [&](const char* why) {
    return Error{Code::invalid, "route " + std::string(path) + ": " + why};
  };
  if (path.empty() || path.front() != '/') return bad("a path starts with /");
  Pattern pattern;
  for (size_t at = 1; at <= path.size();) {
    const size_t end = path.find('/', at) == std::string_view::npos ? path.size() : path.find('/', at);
    std::string segment(path.substr(at, end - at));
    at = end + 1;
    if (segment.empty()) {
      if (end != path.size()) return bad("a segment is empty");
      break;
    }
    const bool named = segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
    const std::string text = named ? segment.substr(1, segment.size() - 2) : segment;
    if (text.find_first_of("{}:*?#% ") != std::string::npos)
      return bad("a parameter is a whole segment, and fixed segments are plain text");
    if (named) {
      for (const auto& other : pattern.names)
        if (other == text) return bad("a parameter is named twice");
      pattern.names.push_back(text);
    }
    pattern.segments.push_back(named ? "{}" : segment);
  }
  return pattern;
}

// Whether the server cannot distinguish two valid routes. Their listeners do not count, because the admin
// socket serves the routes of all.
inline bool same_place(const Route& a, const Route& b) {
  if (a.method != b.method || a.discriminator != b.discriminator) return false;
  if ((a.kind == "websocket") != (b.kind == "websocket")) return false;  // distinguished by Upgrade
  const auto left = parse_path(a.path);
  const auto right = parse_path(b.path);
  return left && right && left->segments == right->segments;
}

// Method, listener, role, path and discriminator.
inline Status check_place(const Route& route) {
  bool known = false;
  for (const auto method : kMethods) known = known || method == route.method;
  if (!known) return {Code::invalid, "route " + route.path + ": there is no method '" + route.method + "'"};
  if (route.listener != "public" && route.listener != "management" && route.listener != "local")
    return {Code::invalid, "a route's listener is public, management or local"};
  if (route.role != "none" && route.role != "user" && route.role != "admin" && route.role != "super")
    return {Code::invalid, "a route's role is none, user, admin or super"};
  PB_TRY(parse_path(route.path));
  const auto equals = route.discriminator.find('=');
  if (!route.discriminator.empty() && (equals == std::string::npos || equals == 0))
    return {Code::invalid, "a route's discriminator is name=value, or name= for any value"};
  return {};
}

// Route.documents.
inline Status check_documents(const Host& host, const Route& route) {
  if (route.documents.empty()) return {};
  const auto parsed = host.parse_json(route.documents);
  if (!parsed || !parsed->root().is_object())
    return {Code::invalid, "a route's documents are no JSON object"};
  constexpr std::array<std::string_view, 9> kMembers = {"requestType", "replyType",      "requestSchema",
                                                        "statuses",    "requestHeaders", "replyHeaders",
                                                        "security",    "siblings",       "otherTypes"};
  for (size_t i = 0; i < parsed->root().size(); ++i) {
    bool known = false;
    for (const auto member : kMembers) known = known || member == parsed->root().key(i);
    if (!known)
      return {Code::invalid, "a route's documents have no member " + std::string(parsed->root().key(i))};
  }
  return {};
}

// Calls f() with each item of a list that is separated by commas, without blanks.
template <class F>
void for_each_word(std::string_view list, F f) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string_view word = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    while (!word.empty() && (word.front() == ' ' || word.front() == '\t')) word.remove_prefix(1);
    while (!word.empty() && (word.back() == ' ' || word.back() == '\t')) word.remove_suffix(1);
    if (!word.empty()) f(word);
  }
}
inline bool has_word(std::string_view list, std::string_view wanted) {
  bool found = false;
  for_each_word(list, [&](std::string_view word) { found = found || word == wanted; });
  return found;
}

// Whether a plugin may close a WebSocket with the code (RFC 6455 7.4).
inline bool is_close_code(int64_t code) {
  return (code >= 3000 && code < 5000) || (code >= 1000 && code <= 1014 && (code < 1004 || code > 1006));
}

// What the members about streams may be.
inline constexpr int64_t kMaxMessageBytes = 15 * 1024 * 1024;
inline constexpr int64_t kMaxUnsentBytes = 64 * 1024 * 1024;
inline constexpr int64_t kMaxStreamMs = 24 * 3600 * 1000;
inline constexpr int64_t kMaxStreams = 1'000'000;

inline Status check_stream(const Route& route) {
  const auto bad = [&](const char* why) -> Status {
    return {Code::invalid, "route " + route.path + ": " + why};
  };
  if (!route.kind.empty() && route.kind != "websocket" && route.kind != "events")
    return bad("kind is websocket or events, or empty");
  if (!route.kind.empty() && route.method != "GET") return bad("streams have the method GET");
  const auto within = [](int64_t value, int64_t most) { return value >= 0 && value <= most; };
  if (!within(route.max_message_bytes, kMaxMessageBytes)) return bad("max_message_bytes is 0 to 15728640");
  if (!within(route.max_unsent_bytes, kMaxUnsentBytes)) return bad("max_unsent_bytes is 0 to 67108864");
  if (!within(route.idle_ms, kMaxStreamMs) || !within(route.ping_ms, kMaxStreamMs))
    return bad("idle_ms and ping_ms are 0 to 86400000");
  if (!within(route.max_per_address, kMaxStreams) || !within(route.max_per_tenant, kMaxStreams))
    return bad("max_per_address and max_per_tenant are 0 to 1000000");
  return {};
}

// The whole route but its handler.
inline Status check_route(const Host& host, const Route& route) {
  PB_TRY(check_place(route));
  PB_TRY(check_stream(route));
  if (route.max_body_bytes < 0 || route.max_body_bytes > kMaxBodyBytes)
    return {Code::invalid, "a route's max_body_bytes is 0 to 15728640"};
  for (const std::string* schema : {&route.request_schema, &route.query_schema}) {
    if (schema->empty()) continue;
    PB_TRY(Schema::compile(host, *schema));
  }
  for (const std::string* text : {&route.reply_schema, &route.example}) {
    if (text->empty()) continue;
    auto parsed = host.parse_json(*text);
    if (!parsed) return std::move(parsed).error().within("reply_schema or example");
  }
  return check_documents(host, route);
}

// Whether a character may stand in a token (RFC 9110 5.6.2), by its code.
inline constexpr std::array<bool, 256> kIsTokenCharacter = [] {
  std::array<bool, 256> is_token{};
  for (size_t code = 0x21; code < 0x7f; ++code) is_token[code] = true;
  for (const char c : std::string_view("\"(),/:;<=>?@[\\]{}")) is_token[static_cast<size_t>(c)] = false;
  return is_token;
}();

// Whether `name` is a token and `value` has no control characters, so that they can be written into a head.
inline bool is_header(std::string_view name, std::string_view value) {
  if (name.empty()) return false;
  for (const char c : name)
    if (!kIsTokenCharacter[static_cast<unsigned char>(c)]) return false;
  for (const char c : value)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) return false;
  return true;
}

// Error: a status that no handler may give, or a header that cannot be written; the client then gets 500.
inline Status check_response(const Response& response) {
  if (response.status < 200 || response.status > 599)
    return {Code::invalid, "the answer's status is " + std::to_string(response.status) + ", not 200 to 599"};
  if (!is_header("content-type", response.content_type))
    return {Code::invalid, "the answer's content_type has a control character"};
  for (const auto& [name, value] : response.headers)
    if (!is_header(name, value))
      return {Code::invalid,
              "the answer's header " + std::string(name) + " has a character that no header may have"};
  return {};
}

}  // namespace patchbay::http

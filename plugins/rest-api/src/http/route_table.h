// The routes of the edge as plain data. A route is known by its id alone: what stands behind it is its
// owner's matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::rest_api {

enum class Method : uint8_t { get, head, post, put, patch, del, options, other };

std::string_view method_name(Method method) noexcept;
// Case-sensitive, as RFC 9110 9.1 asks; `other` for what no route can have.
Method method_from(std::string_view name) noexcept;
// Safe methods may run beside each other on one connection (RFC 9112 9.3.2).
inline bool is_safe(Method method) noexcept {
  return method == Method::get || method == Method::head || method == Method::options;
}

// Which listeners serve a route; a bit mask in Route, one bit in Listener.
enum Surface : uint32_t { kPublic = 1, kManagement = 2, kLocal = 4 };

// Tells routes of one path apart by a query parameter. An empty value accepts any.
struct Discriminator {
  std::string key;
  std::string value;
};

struct Route {
  uint32_t id = 0;
  Method method = Method::get;
  // "/v1/calls/{id}/turns": a parameter is a whole segment.
  std::string path;
  std::optional<Discriminator> discriminator;
  uint32_t surfaces = kPublic;
  // Serves only requests that ask for a WebSocket upgrade, and is preferred by them.
  bool upgrade = false;
  // May answer with a stream (server-sent events); `upgrade` implies it. Such a request runs alone on its
  // connection.
  bool streams = false;
  // Needs a bearer, except on the local surface: without an Authorization header its body is not read.
  bool needs_bearer = false;
  // 405 on its path has the body {error: text}.
  bool message_errors = false;
  // Octets; 0: EdgeLimits::max_body.
  size_t max_body = 0;
};

using RouteTable = std::vector<Route>;

}  // namespace patchbay::rest_api

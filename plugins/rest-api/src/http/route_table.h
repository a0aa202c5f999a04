// The routes of the server as plain data. The server passes the id of a route to the handlers and does not
// interpret it.
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
// Case-sensitive (RFC 9110 9.1); `other`: no route can have this method.
Method method_from(std::string_view name) noexcept;
// Safe methods may run concurrently on one connection (RFC 9112 9.3.2).
inline bool is_safe(Method method) noexcept {
  return method == Method::get || method == Method::head || method == Method::options;
}

// The purpose of a listener. A Route has a mask of the roles that serve it.
enum ListenerRole : uint32_t { kPublic = 1, kManagement = 2, kLocal = 4 };
constexpr const char* listener_role_name(ListenerRole role) noexcept {
  return role == kLocal ? "local" : role == kManagement ? "management" : "public";
}

// Distinguishes routes of one path by a query parameter. An empty value matches any.
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
  uint32_t listener_roles = kPublic;
  // Serves only requests for a WebSocket upgrade, and precedes other routes for them.
  bool upgrade = false;
  // May respond with a stream (server-sent events); implied by `upgrade`. Its requests run alone on their
  // connection.
  bool streams = false;
  // Needs a bearer, except on the admin socket: bodies of requests without an Authorization header are not
  // read.
  bool needs_bearer = false;
  // 405 on its path has the body {error: text}, as message_response() writes it.
  bool message_errors = false;
  // Of the body, in octets; 0: ServerLimits::max_body.
  size_t max_body = 0;
};

using RouteTable = std::vector<Route>;

}  // namespace patchbay::rest_api

// Finds the route of a request with Pistache's parser and path tree, then by discriminator; reports what a
// 404 or 405 needs. One thread; a change of routes replaces the Router.
#pragma once

#include <patchbay/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exchange.h"
#include "request_target.h"
#include "route_table.h"

namespace patchbay::rest_api {

struct RouteQuery {
  Method method = Method::get;
  std::string_view path;               // raw, because segments are decoded after routing
  const StringPairs* query = nullptr;  // decoded
  bool upgrade = false;                // the client asks for a WebSocket
};

struct RouteMatch {
  const Route* route = nullptr;  // null: 405 if `allow` is set, else 404. Valid as long as the Router
  // Names from the route, values raw.
  std::vector<std::pair<std::string_view, std::string>> params;
  // The query parameter that `route` needs and the request lacks: 400. "": none.
  std::string_view missing;
  // Methods that the path has, with HEAD and OPTIONS: the value of Allow.
  std::string allow;
  // Of a 404 whose path exists: the query parameters that its routes need, "?whitelist=list, ?whitelist=add".
  std::string choices;
  // Of a 405: a route that matches with another method.
  const Route* neighbour = nullptr;
};

// The response to a request without a route: 404, 405 with Allow, or 204 with Allow to OPTIONS.
Response unrouted_response(Method method, const RouteMatch& match);

// Identifies a route among those of one role, of which no two may have the same key. Error: a method that no
// route can have, a path that is not absolute, a bad parameter.
Result<std::string> route_key(const Route& route);
Error routed_twice(const Route& route);

class Router {
 public:
  // Of the routes of one role. Error: a path that is not absolute, a bad parameter, two equal routes.
  static Result<std::unique_ptr<Router>> create(const RouteTable& table, ListenerRole role);
  ~Router();

  // `other`, and OPTIONS without such a route, get `allow` only. HEAD matches GET routes. The path "*" allows
  // every method (RFC 9110 9.3.7).
  RouteMatch resolve(const RouteQuery& query);

 private:
  struct Impl;
  explicit Router(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::rest_api

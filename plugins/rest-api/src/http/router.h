// Routing: Pistache's parser and path tree, our choice by discriminator, and our 404 and 405.
// One Router belongs to one thread; a change of routes replaces it whole.
#pragma once

#include <patchbay/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "request_target.h"
#include "route_table.h"

namespace patchbay::rest_api {

struct RouteQuery {
  Method method = Method::get;
  std::string_view path;               // raw: nothing is decoded before routing
  const NamedValues* query = nullptr;  // decoded
  bool upgrade = false;                // the client asks for a WebSocket
};

struct RouteMatch {
  const Route* route = nullptr;  // null: 405 when allow is filled, else 404. Lives as long as the Router
  // Names from the route, values raw.
  std::vector<std::pair<std::string_view, std::string>> params;
  // Methods that would have matched, with HEAD and OPTIONS: the value of Allow.
  std::string allow;
  // Of a 404 whose path exists: the query parameters that its routes want, "?whitelist=list, ?whitelist=add".
  std::string choices;
  // Of a 405: one of the routes that would have matched by another method.
  const Route* neighbour = nullptr;
};

class Router {
 public:
  // The routes of one surface. Refused: a path that is not absolute, a bad parameter, two equal routes.
  static Result<std::unique_ptr<Router>> create(const RouteTable& table, Surface surface);
  ~Router();

  // `other` and OPTIONS without a route of its own yield only `allow`. HEAD falls to GET.
  RouteMatch resolve(const RouteQuery& query);

 private:
  struct Impl;
  explicit Router(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::rest_api

// RouteRegistry: the routes that plugins have registered, and those of rest-api. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "http/route_table.h"
#include "query_reader.h"

namespace patchbay::rest_api {

using BuiltinHandler = std::function<http::Response(const http::Request&)>;

// A route with its handler.
struct RouteEntry {
  uint32_t id = 0;
  http::Route route;
  std::string key;  // see route_key()
  uint32_t listener_roles = 0;
  QueryReader query;
  Lease<http::Handler> handler;
  BuiltinHandler builtin;  // of a route of rest-api, instead of a handler
};

class RouteRegistry {
 public:
  // Calls `publish` with the whole table, once for all changes of one task.
  RouteRegistry(const Host& host, std::function<void(const RouteTable&)> publish);

  // Code::conflict: method, path and discriminator are taken. Code::invalid: schema, example, path or role.
  Result<http::Registered> add(http::Route route);
  Status add_builtin(http::Route route, BuiltinHandler handler);

  // Shared, because a request may outlive its route. Null: there is no such route.
  std::shared_ptr<const RouteEntry> find(uint32_t id) const;
  // A registration that was refused; kept until it succeeds or its handler is withdrawn.
  struct Refused {
    std::string route;  // "GET /v1/calls"
    std::string why;
    Handle handler;
  };
  const std::vector<Refused>& refused();

  // Removes the routes whose handler was withdrawn.
  void remove_stale();

  RouteTable table() const;
  // The documented routes of one listener, sorted by path, method and discriminator.
  std::vector<const http::Route*> catalogue(std::string_view listener) const;
  // Increases with every change.
  uint64_t generation() const noexcept { return generation_; }

 private:
  Result<http::Registered> add_entry(http::Route route);
  Result<uint32_t> insert(std::shared_ptr<RouteEntry> entry);
  Result<std::string> check(const Route& candidate) const;
  void on_change();

  const Host* host_;
  std::function<void(const RouteTable&)> publish_;
  std::map<uint32_t, std::shared_ptr<RouteEntry>> entries_;
  std::vector<Refused> refused_;  // at most kMaxRefusedRoutes
  uint32_t last_id_ = 0;
  uint64_t generation_ = 0;
  bool publishing_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::rest_api

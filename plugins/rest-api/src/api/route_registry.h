// The routes there are now: what plugins registered, and the plugin's own. On the main strand.
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

using OwnHandler = std::function<http::Response(const http::Request&)>;

// One route and what stands behind it.
struct Target {
  uint32_t id = 0;
  http::Route route;
  QueryReader query;
  Lease<http::Handler> handler;
  OwnHandler own;  // instead of a handler
};

class RouteRegistry {
 public:
  // `publish` gets the whole table, once for all changes that happen in one go.
  RouteRegistry(const Host& host, std::function<void(const RouteTable&)> publish);

  // Errors: conflict, when method, path and discriminator are taken on that surface; invalid, when schema,
  // example, path or role are.
  Result<http::Registered> add(http::Route route);
  Status add_own(http::Route route, OwnHandler handler);

  // Shared: a request may outlast its route. Null when the route has gone.
  std::shared_ptr<const Target> find(uint32_t id) const;
  // A registration that was refused, until it succeeds or its handler is gone.
  struct Refused {
    std::string route;  // "GET /v1/calls"
    std::string why;
    Handle handler;
  };
  // As they are now.
  const std::vector<Refused>& refused();

  // Forgets the routes whose handler's instance is gone.
  void sweep();

  RouteTable table() const;
  // Of one surface, by path, method and discriminator.
  std::vector<const http::Route*> catalogue(std::string_view surface) const;
  // Grows with every change.
  uint64_t generation() const noexcept { return generation_; }

 private:
  Result<http::Registered> take(http::Route route);
  Result<uint32_t> insert(std::shared_ptr<Target> target);
  Status check(const Route& candidate) const;
  void changed();

  const Host* host_;
  std::function<void(const RouteTable&)> publish_;
  std::map<uint32_t, std::shared_ptr<Target>> targets_;
  std::vector<Refused> refused_;  // at most kMostRefused
  uint32_t last_id_ = 0;
  uint64_t generation_ = 0;
  bool publishing_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::rest_api

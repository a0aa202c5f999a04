// A request's way through the plugin: admission, rate, validation, the handler, the answer. On the main
// strand; the edge hands over what has a route (404 and 405 it answers itself).
//
// Order of checks: 401, 403, 429, 413 and 415, 400, then whatever the handler finds. Without an Authorization
// header with a bearer 429 comes first. Each request is answered: 503 when its handler takes longer than
// answer_ms.
#pragma once

#include <patchbay/lifetime.h>

#include <functional>
#include <memory>

#include "access_log.h"
#include "authorizer.h"
#include "deadlines.h"
#include "paging.h"
#include "rate/address_limiter.h"
#include "route_registry.h"

namespace patchbay::rest_api {

class Dispatcher {
 public:
  // All borrowed.
  Dispatcher(const Host& host, const Settings& settings, RouteRegistry& registry, Traffic& traffic);

  // `started_ns` by the host's monotonic clock.
  void serve(std::shared_ptr<Exchange> exchange, int64_t started_ns);
  // Of a request whose body was not read yet: sets its refusal when its bearer may not do this, and proceeds.
  // serve() judges it again, with the body.
  void look(std::shared_ptr<Exchange> exchange, std::function<void()> proceed);
  // The server stops: handlers get a few seconds more, so that one that never answers does not hold it up.
  void hurry();

 private:
  struct Turn;
  using TurnPtr = std::shared_ptr<Turn>;  // shared by the callbacks of one request, of which one is next

  void admitted(const TurnPtr& turn, Gatekeeper::Verdict verdict);
  bool within_rate(const TurnPtr& turn);
  void expire(const TurnPtr& turn);
  void call(const TurnPtr& turn);
  int64_t total_of(const http::Response& answer, const Page& page) const;
  void answered(const TurnPtr& turn, Result<http::Response>&& answer);
  void refuse(const TurnPtr& turn, const Refusal& refusal);
  void finish(const TurnPtr& turn, Response response);

  const Host* host_;
  RouteRegistry* registry_;
  Traffic* traffic_;
  Gatekeeper gatekeeper_;
  lib::AddressLimiter limiter_;
  Deadlines<Turn> deadlines_;
  Lifetime alive_;
};

}  // namespace patchbay::rest_api

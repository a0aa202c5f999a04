// Takes requests from the HTTP server through authorization, rate limit and validation to their handler, and
// the response back. On the main strand. The HTTP server itself answers 404 and 405.
//
// Order of checks: 401, 403, 429, 413 and 415, 400, then those of the handler. Without a bearer 429 comes
// first. A request whose handler does not answer within answer_ms gets 503.
#pragma once

#include <patchbay/lifetime.h>

#include <functional>
#include <memory>

#include "access_log.h"
#include "authorizer.h"
#include "deadlines.h"
#include "paging.h"
#include "request_rate.h"
#include "route_registry.h"
#include "server_metrics.h"
#include "streams.h"

namespace patchbay::rest_api {

class Dispatcher {
 public:
  // All borrowed.
  Dispatcher(const Host& host, const Settings& settings, RouteRegistry& registry, AccessLog& access_log,
             ServerMetrics& metrics);

  // `started_ns` is of the host's monotonic clock.
  void serve(std::shared_ptr<Exchange> exchange, int64_t started_ns);
  // Authorizes a request before its body is read: sets its refusal if its bearer is not sufficient, then
  // calls `proceed`. serve() authorizes it again, with the body.
  void authorize_head(std::shared_ptr<Exchange> exchange, std::function<void()> proceed);
  // Limits handlers to kStoppingAnswerMs, because an unanswered request would delay the stop of the server.
  void shorten_deadlines();

 private:
  struct PendingRequest;
  using PendingPtr =
      std::shared_ptr<PendingRequest>;  // shared by the callbacks of one request, of which one is next

  void authorized(const PendingPtr& pending, Authorizer::Decision decision);
  bool within_rate(const PendingPtr& pending);
  void expire(const PendingPtr& pending);
  void call(const PendingPtr& pending);
  int64_t total_of(const http::Response& answer, const Page& page) const;
  void on_reply(const PendingPtr& pending, Result<http::Response>&& answer);
  void refuse(const PendingPtr& pending, const Refusal& refusal);
  void respond(const PendingPtr& pending, Response response);

  const Host* host_;
  RouteRegistry* registry_;
  AccessLog* access_log_;
  ServerMetrics* metrics_;
  Authorizer authorizer_;
  RequestRate rate_;
  Streams streams_;
  Deadlines<PendingRequest> deadlines_;
  Lifetime alive_;
};

}  // namespace patchbay::rest_api

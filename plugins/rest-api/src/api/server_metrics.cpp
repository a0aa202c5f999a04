#include "server_metrics.h"

#include <algorithm>

namespace patchbay::rest_api {
namespace {

Metric requests(const Host& host, const char* status) {
  return Metric::counter(host, "patchbay_rest_api_requests_total", "Requests to a route that were answered",
                         {{"status", status}});
}

Metric connections(const Host& host, const char* listener) {
  return Metric::gauge(host, "patchbay_rest_api_connections", "Connections that are open",
                       {{"listener", listener}});
}

Metric shed(const Host& host, const char* reason) {
  return Metric::counter(host, "patchbay_rest_api_connections_shed_total",
                         "Connections closed to make room, or refused for lack of it", {{"reason", reason}});
}

}  // namespace

ServerMetrics::ServerMetrics(const Host& host)
    : requests_{requests(host, "1xx"), requests(host, "2xx"), requests(host, "3xx"), requests(host, "4xx"),
                requests(host, "5xx")},
      seconds_(Metric::seconds(host, "patchbay_rest_api_request_seconds", "From a request to its response")),
      connections_{connections(host, "public"), connections(host, "management"), connections(host, "local")},
      accepted_(
          Metric::counter(host, "patchbay_rest_api_connections_total", "Connections that were accepted")),
      refused_(Metric::counter(host, "patchbay_rest_api_refused_total",
                               "Requests refused as malformed, too large or too slow")),
      shed_{shed(host, "idle"), shed(host, "slow_body"), shed(host, "slow_reader"),
            shed(host, "address_limit"), shed(host, "no_place")},
      body_bytes_(Metric::gauge(host, "patchbay_rest_api_body_bytes",
                                "Bodies of unanswered requests, without the first 4 KiB of each")),
      body_refused_(Metric::counter(host, "patchbay_rest_api_bodies_refused_total",
                                    "Requests answered 503 because the memory for bodies was used up")),
      body_dropped_(Metric::counter(host, "patchbay_rest_api_bodies_dropped_total",
                                    "Slow bodies dropped for others, answered 408")),
      response_bytes_(Metric::gauge(host, "patchbay_rest_api_response_bytes",
                                    "Large response bodies that wait for their readers")),
      response_refused_(Metric::counter(host, "patchbay_rest_api_responses_refused_total",
                                        "Responses replaced by 503 because too many wait for their readers")),
      blocked_calls_(Metric::counter(host, "patchbay_rest_api_blocked_handlers_total",
                                     "Handlers that blocked a server thread for more than a second")),
      timeouts_(Metric::counter(host, "patchbay_rest_api_handler_timeouts_total",
                                "Requests answered 503 because their handler did not answer")),
      rate_limited_(Metric::counter(host, "patchbay_rest_api_rate_limited_total", "Requests answered 429")) {}

void ServerMetrics::count_request(int status, int64_t took_ns) {
  const int status_class = std::clamp(status / 100, 1, 5);
  requests_[static_cast<size_t>(status_class - 1)].add();
  seconds_.add(static_cast<double>(took_ns) / 1e9);
}

void ServerMetrics::update(const ServerStats& stats) {
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i].set(static_cast<double>(stats.open_by[i]));
  accepted_.add(static_cast<double>(stats.accepted - reported_.accepted));
  refused_.add(static_cast<double>(stats.refused - reported_.refused));
  const auto sheds = [](const ServerStats& of) {
    return std::array<uint64_t, 5>{of.shed, of.shed_slow, of.shed_readers, of.over_address, of.over_capacity};
  };
  const auto now = sheds(stats);
  const auto before = sheds(reported_);
  for (size_t i = 0; i < shed_.size(); ++i) shed_[i].add(static_cast<double>(now[i] - before[i]));
  body_bytes_.set(static_cast<double>(stats.body_bytes));
  body_refused_.add(static_cast<double>(stats.body_refused - reported_.body_refused));
  body_dropped_.add(static_cast<double>(stats.body_dropped - reported_.body_dropped));
  response_bytes_.set(static_cast<double>(stats.response_bytes));
  response_refused_.add(static_cast<double>(stats.response_refused - reported_.response_refused));
  blocked_calls_.add(static_cast<double>(stats.blocked_calls - reported_.blocked_calls));
  reported_ = stats;
}

}  // namespace patchbay::rest_api

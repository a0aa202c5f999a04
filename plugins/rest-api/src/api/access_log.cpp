#include "access_log.h"

#include <algorithm>

namespace patchbay::rest_api {
namespace {

Metric requests(const Host& host, const char* status) {
  return Metric::counter(host, "patchbay_rest_api_requests_total", "Requests that a route answered",
                         {{"status", status}});
}

Metric connections(const Host& host, const char* surface) {
  return Metric::gauge(host, "patchbay_rest_api_connections", "Connections that are open",
                       {{"surface", surface}});
}

Metric shed(const Host& host, const char* reason) {
  return Metric::counter(host, "patchbay_rest_api_connections_shed_total",
                         "Connections closed to make room, or because there was none", {{"reason", reason}});
}

// "operator" is every user of the host who may open the socket: the log has to say which.
std::string user_text(const Traffic::Served& served) {
  return std::string(served.user) + (served.uid ? " uid " + std::to_string(*served.uid) : "");
}

}  // namespace

Traffic::Traffic(const Host& host)
    : host_(&host),
      requests_{requests(host, "1xx"), requests(host, "2xx"), requests(host, "3xx"), requests(host, "4xx"),
                requests(host, "5xx")},
      seconds_(Metric::seconds(host, "patchbay_rest_api_request_seconds", "From a request to its answer")),
      connections_{connections(host, "public"), connections(host, "management"), connections(host, "local")},
      accepted_(
          Metric::counter(host, "patchbay_rest_api_connections_total", "Connections that were accepted")),
      refused_(Metric::counter(host, "patchbay_rest_api_refused_total",
                               "Requests the edge refused: malformed, too large, too slow")),
      shed_{shed(host, "idle"), shed(host, "slow_body"), shed(host, "slow_reader"),
            shed(host, "address_limit"), shed(host, "no_place")},
      body_bytes_(Metric::gauge(host, "patchbay_rest_api_body_bytes",
                                "Bodies of unanswered requests, without the first 4 KiB of each")),
      body_refused_(Metric::counter(host, "patchbay_rest_api_bodies_refused_total",
                                    "Requests answered 503 because too many bodies were held")),
      body_dropped_(Metric::counter(host, "patchbay_rest_api_bodies_dropped_total",
                                    "Slow bodies given up for others, answered 408")),
      timeouts_(Metric::counter(host, "patchbay_rest_api_handler_timeouts_total",
                                "Requests answered 503 because their handler did not answer")),
      rate_limited_(Metric::counter(host, "patchbay_rest_api_rate_limited_total", "Requests answered 429")),
      strangers_(host) {}

void Traffic::note(const Served& served) {
  const int status_class = std::clamp(served.status / 100, 1, 5);
  requests_[static_cast<size_t>(status_class - 1)].add();
  seconds_.add(static_cast<double>(served.took_ns) / 1e9);
  if (served.user.empty() && !strangers_.takes_line(served.remote, served.status)) return;
  Log(*host_, std::string(served.correlation))
      .info("request", {{"method", served.method},
                        {"path", served.path},
                        {"status", served.status},
                        {"ms", served.took_ns / 1'000'000},
                        {"bytes", served.bytes},
                        {"remote", served.remote},
                        {"user", user_text(served)}});
}

void Traffic::note(const EdgeStats& stats) {
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i].set(static_cast<double>(stats.open_by[i]));
  accepted_.add(static_cast<double>(stats.accepted - told_.accepted));
  refused_.add(static_cast<double>(stats.refused - told_.refused));
  const auto sheds = [](const EdgeStats& of) {
    return std::array<uint64_t, 5>{of.shed, of.shed_slow, of.shed_readers, of.over_address, of.over_places};
  };
  const auto now = sheds(stats);
  const auto before = sheds(told_);
  for (size_t i = 0; i < shed_.size(); ++i) shed_[i].add(static_cast<double>(now[i] - before[i]));
  body_bytes_.set(static_cast<double>(stats.body_bytes));
  body_refused_.add(static_cast<double>(stats.body_refused - told_.body_refused));
  body_dropped_.add(static_cast<double>(stats.body_dropped - told_.body_dropped));
  told_ = stats;
}

}  // namespace patchbay::rest_api

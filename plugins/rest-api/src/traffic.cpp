#include "traffic.h"

#include <algorithm>

namespace patchbay::rest_api {
namespace {

Metric requests(const Host& host, const char* status) {
  return Metric::counter(host, "patchbay_rest_api_requests_total", "Requests that a route answered",
                         {{"status", status}});
}

}  // namespace

Traffic::Traffic(const Host& host)
    : host_(&host),
      requests_{requests(host, "1xx"), requests(host, "2xx"), requests(host, "3xx"), requests(host, "4xx"),
                requests(host, "5xx")},
      seconds_(Metric::seconds(host, "patchbay_rest_api_request_seconds", "From a request to its answer")),
      connections_(Metric::gauge(host, "patchbay_rest_api_connections", "Connections that are open")),
      accepted_(
          Metric::counter(host, "patchbay_rest_api_connections_total", "Connections that were accepted")),
      refused_(Metric::counter(host, "patchbay_rest_api_refused_total",
                               "Requests the edge refused: malformed, too large, too slow")) {}

void Traffic::note(const Served& served) {
  const int status_class = std::clamp(served.status / 100, 1, 5);
  requests_[static_cast<size_t>(status_class - 1)].add();
  seconds_.add(static_cast<double>(served.took_ns) / 1e9);
  Log(*host_, std::string(served.correlation))
      .info("request", {{"method", served.method},
                        {"path", served.path},
                        {"status", served.status},
                        {"ms", served.took_ns / 1'000'000},
                        {"bytes", served.bytes},
                        {"remote", served.remote},
                        {"user", served.user}});
}

void Traffic::note(const EdgeStats& stats) {
  connections_.set(static_cast<double>(stats.open));
  accepted_.add(static_cast<double>(stats.accepted - told_.accepted));
  refused_.add(static_cast<double>(stats.refused - told_.refused));
  told_ = stats;
}

}  // namespace patchbay::rest_api

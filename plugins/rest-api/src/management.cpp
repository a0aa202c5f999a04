#include "management.h"

namespace patchbay::rest_api {
namespace {

http::Route open_route(const char* surface, const char* path, const char* summary) {
  http::Route route;
  route.method = "GET";
  route.path = path;
  route.surface = surface;
  route.role = "none";
  route.area = "operation";
  route.summary = summary;
  return route;
}

http::Response readiness(const Host& host) {
  http::Response response = http::ok(host.report("ready"));
  const auto report = host.parse_json(response.body);
  response.status = report && report->root().boolean("ready", false) ? 200 : 503;
  return response;
}

}  // namespace

Status add_management_routes(RouteRegistry& registry, const Host& host,
                             std::function<void()> before_metrics) {
  PB_TRY(registry.add_own(open_route("management", "/healthz", "The process is alive"),
                          [](const http::Request&) { return http::ok(R"({"status":"ok"})"); }));
  PB_TRY(registry.add_own(open_route("management", "/readyz", "All plugins run, else 503"),
                          [&host](const http::Request&) { return readiness(host); }));
  PB_TRY(registry.add_own(open_route("management", "/metrics", "Metrics for Prometheus"),
                          [&host, before = std::move(before_metrics)](const http::Request&) {
                            before();
                            http::Response response = http::ok(host.report("metrics"));
                            response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                            return response;
                          }));
  return registry.add_own(open_route("local", "/local/plugins", "The plugins and their states"),
                          [&host](const http::Request&) { return http::ok(host.report("plugins")); });
}

}  // namespace patchbay::rest_api

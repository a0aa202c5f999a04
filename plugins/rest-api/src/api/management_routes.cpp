#include "management_routes.h"

namespace patchbay::rest_api {
namespace {

http::Route open_route(const char* listener, const char* path, const char* summary) {
  http::Route route;
  route.method = "GET";
  route.path = path;
  route.listener = listener;
  route.role = "none";
  route.area = "operation";
  route.summary = summary;
  return route;
}

// The readiness of the core, the routes that were refused (their plugins run without them), and the error of
// the admin socket.
http::Response readiness(const Host& host, RouteRegistry& registry, const std::string& socket_error) {
  http::Response response = http::ok(host.report("ready"));
  const auto report = host.parse_json(response.body);
  response.status = report && report->root().boolean("ready", false) ? 200 : 503;
  const auto& refused = registry.refused();
  const auto end = response.body.rfind('}');
  if ((refused.empty() && socket_error.empty()) || end == std::string::npos) return response;
  JsonWriter out;
  out.object();
  if (!socket_error.empty()) out.member("admin_socket", socket_error);
  if (!refused.empty()) {
    out.key("refused_routes").array();
    for (const auto& one : refused) out.object().member("route", one.route).member("why", one.why).end();
    out.end();
  }
  out.end();
  response.body = response.body.substr(0, end) + "," + out.str().substr(1);
  return response;
}

}  // namespace

Status add_management_routes(RouteRegistry& registry, const Host& host, std::function<void()> before_metrics,
                             const std::string& socket_error) {
  PB_TRY(registry.add_builtin(open_route("management", "/healthz", "The process is alive"),
                              [](const http::Request&) { return http::ok(R"({"status":"ok"})"); }));
  PB_TRY(registry.add_builtin(open_route("management", "/readyz", "All plugins run, else 503"),
                              [&host, &registry, &socket_error](const http::Request&) {
                                return readiness(host, registry, socket_error);
                              }));
  const auto metrics = [&host, before = std::move(before_metrics)](const http::Request&) {
    before();
    http::Response response = http::ok(host.report("metrics"));
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return response;
  };
  PB_TRY(registry.add_builtin(open_route("management", "/metrics", "Metrics for Prometheus"), metrics));
  PB_TRY(registry.add_builtin(open_route("local", "/local/metrics", "The same, for `patchbay status`"),
                              metrics));
  return registry.add_builtin(open_route("local", "/local/plugins", "The plugins and their states"),
                              [&host](const http::Request&) { return http::ok(host.report("plugins")); });
}

}  // namespace patchbay::rest_api

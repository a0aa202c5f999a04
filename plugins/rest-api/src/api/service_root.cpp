#include "service_root.h"

namespace patchbay::rest_api {
namespace {

std::string root_text(const RouteRegistry& registry) {
  JsonWriter out;
  out.object().member("name", "Patchbay").member("version", "v1").member("build", PATCHBAY_BUILD);
  out.key("endpoints").array();
  for (const http::Route* route : registry.catalogue("public")) {
    const std::string query = route->discriminator.empty() ? "" : "?" + route->discriminator;
    out.object()
        .member("method", route->method)
        .member("path", route->path + query)
        .member("description", route->summary)
        .member("area", route->area)
        .end();
  }
  out.end();
  out.member(
      "auth",
      "Authorization: Bearer <token>, an OIDC access token of /oidc.ashx/token or an API key (ak_...), "
      "with role=admin");
  out.member("pagination",
             "Collections take limit (1 to 500, default 50) and offset (default 0) and answer {data, total, "
             "limit, offset, next}; next is the relative URL of the next page, or null");
  out.member("errors", "{error, error_description}: a code for programs, a sentence for people");
  out.end();
  return std::move(out).str();
}

}  // namespace

Status add_service_root(RouteRegistry& registry) {
  http::Route route;
  route.method = "GET";
  route.path = "/api.ashx/v1";
  route.role = "none";
  route.area = "service";
  route.summary = "Lists the endpoints of this service";
  route.reply_schema =
      R"({"type": "object", "required": ["name", "version", "build", "endpoints"], "properties": {
    "name": {"type": "string"}, "version": {"type": "string"}, "build": {"type": "string"},
    "endpoints": {"type": "array", "items": {"type": "object", "properties": {
      "method": {"type": "string"}, "path": {"type": "string"}, "description": {"type": "string"},
      "area": {"type": "string"}}}},
    "auth": {"type": "string"}, "pagination": {"type": "string"}, "errors": {"type": "string"}}})";
  return registry.add_builtin(std::move(route),
                              [&registry](const http::Request&) { return http::ok(root_text(registry)); });
}

}  // namespace patchbay::rest_api

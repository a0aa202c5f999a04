#include "openapi.h"

#include <patchbay/text.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "openapi_operation.h"
#include "openapi_responses.h"

namespace patchbay::rest_api {
namespace {

using openapi::Documents;
using openapi::Routes;

constexpr char kSchemas[] = R"({
"Error": {"type": "object", "required": ["error", "error_description"], "properties": {
  "error": {"type": "string", "description": "A code for programs"},
  "error_description": {"type": "string", "description": "A sentence for people"}}},
"MessageError": {"type": "object", "required": ["error"], "properties": {
  "error": {"type": "string", "description": "A sentence for people"}}}})";

constexpr char kBearer[] = R"({"type": "http", "scheme": "bearer",
  "description": "An OIDC access token of /oidc.ashx/token, or an API key, ak_..."})";
constexpr char kOidc[] = R"({"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
  "description": "An OIDC access token of /oidc.ashx/token; an API key is not enough"})";

// Writes the security schemes of the routes as members of the current object.
void write_security_schemes(JsonWriter& out, const Host& host, const Routes& routes) {
  std::set<std::string> written = {"bearer"};
  for (const http::Route* route : routes) {
    const Documents documents(host, *route);
    const JsonView schemes = documents["security"];
    for (size_t i = 0; i < schemes.size(); ++i)
      if (written.emplace(schemes.key(i)).second) out.key(schemes.key(i)).raw(host.write_json(schemes.at(i)));
  }
}

void write_paths(JsonWriter& out, const Host& host, const Routes& routes) {
  out.key("paths").object();
  for (size_t at = 0; at < routes.size();) {
    const std::string& path = routes[at]->path;
    out.key(path).object();
    while (at < routes.size() && routes[at]->path == path) {
      Routes same;
      const std::string& method = routes[at]->method;
      for (; at < routes.size() && routes[at]->path == path && routes[at]->method == method; ++at)
        same.push_back(routes[at]);
      out.key(to_lower(method));
      openapi::write_operation(out, host, same);
    }
    out.end();
  }
  out.end();
}

std::string document(const RouteRegistry& registry, const Host& host) {
  JsonWriter out;
  out.object().member("openapi", "3.1.0");
  out.key("info").object().member("title", "Patchbay").member("version", PATCHBAY_VERSION);
  out.member("description",
             "Every response has Cache-Control: no-store and X-Request-Id. Bodies are JSON; names may be "
             "written in camelCase or PascalCase, unknown ones are ignored, and null means left out.")
      .end();
  out.key("servers").raw(R"([{"url":"/"}])");
  const auto routes = registry.catalogue("public");
  write_paths(out, host, routes);
  out.key("components").object().key("securitySchemes").object();
  out.key("bearer").raw(kBearer).key("oidc").raw(kOidc);
  write_security_schemes(out, host, routes);
  out.end().key("schemas").raw(kSchemas);
  out.key("responses").raw(openapi::shared_responses()).end().end();
  return std::move(out).str();
}

// The document of one generation of the routes.
struct Cached {
  uint64_t generation = 0;
  std::string text;
};

}  // namespace

Status add_openapi(RouteRegistry& registry, const Host& host) {
  const auto cached = std::make_shared<Cached>();  // shared by both routes
  for (const char* path : {"/openapi.json", "/.well-known/openapi.json"}) {
    http::Route route;
    route.method = "GET";
    route.path = path;
    route.role = "none";
    route.area = "service";
    route.summary = "This OpenAPI document";
    route.reply_schema = R"({"type":"object"})";
    PB_TRY(registry.add_builtin(std::move(route), [&registry, &host, cached](const http::Request&) {
      if (std::exchange(cached->generation, registry.generation()) != registry.generation())
        cached->text = document(registry, host);
      return http::ok(cached->text);
    }));
  }
  return {};
}

}  // namespace patchbay::rest_api

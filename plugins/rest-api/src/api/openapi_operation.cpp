#include "openapi_operation.h"

#include <algorithm>
#include <string>

#include "openapi_content.h"
#include "openapi_parameters.h"
#include "openapi_responses.h"

namespace patchbay::rest_api::openapi {
namespace {

bool takes_body(const Host& host, const http::Route& route) { return !request_schema(host, route).empty(); }

// Whether the body may not be left out. A missing one is read as an empty object, so only required members
// count.
bool needs_body(const Host& host, const http::Route& route) {
  const auto schema = host.parse_json(request_schema(host, route));
  return schema && (*schema)["required"].size() > 0;
}

std::string operation_id(const http::Route& route) {
  std::string id;
  for (const char c : route.method) id += static_cast<char>(c | 0x20);
  bool gap = true;
  for (const char c : route.path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (plain && gap) id += '_';
    if (plain) id += c;
    gap = !plain;
  }
  return id;
}

// Lists alternative schemes. Routes with `oidc_only` accept no API key.
void write_security(JsonWriter& out, const Host& host, const http::Route& route) {
  const Documents documents(host, route);
  const JsonView own = documents["security"];
  out.key("security").array();
  for (size_t i = 0; i < own.size(); ++i) out.object().key(own.key(i)).array().end().end();
  if (own.size() == 0 && route.role != "none")
    out.object().key(route.oidc_only ? "oidc" : "bearer").array().end().end();
  out.end();
}

}  // namespace

void write_operation(JsonWriter& out, const Host& host, const Routes& routes) {
  const http::Route& route = *routes.front();
  std::string summary;
  for (const http::Route* one : routes) summary += (summary.empty() ? "" : "; ") + one->summary;
  out.object().member("operationId", operation_id(route)).member("summary", summary);
  out.key("tags").array().value(route.area.empty() ? "other" : route.area).end();
  write_security(out, host, route);
  out.member("x-role", route.role);
  write_parameters(out, host, routes);
  const auto all = [&](bool (*test)(const Host&, const http::Route&)) {
    return std::count_if(routes.begin(), routes.end(),
                         [&](const http::Route* one) { return test(host, *one); });
  };
  if (all(takes_body) > 0) {
    out.key("requestBody").object();
    out.member("required", all(needs_body) == static_cast<std::ptrdiff_t>(routes.size()));
    write_content(out, host, routes, "request");
    out.end();
  }
  write_responses(out, host, routes);
  out.end();
}

}  // namespace patchbay::rest_api::openapi

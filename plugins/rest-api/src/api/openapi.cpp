#include "openapi.h"

#include <patchbay/text.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nullable_schema.h"
#include "paging.h"

namespace patchbay::rest_api {
namespace {

using Routes = std::vector<const http::Route*>;

struct SharedResponse {
  const char* name;
  const char* status;
  const char* description;
};
constexpr SharedResponse kErrors[] = {
    {"BadRequest", "400", "Bad input; the description names the field and the bound"},
    {"Unauthorized", "401", "The bearer is missing or not valid"},
    {"Forbidden", "403", "The bearer is not sufficient"},
    {"NotFound", "404", "Nothing has this path or id"},
    {"MethodNotAllowed", "405", "The method is not supported; Allow lists those of this path"},
    {"PayloadTooLarge", "413", "The body is too large"},
    {"UnsupportedMediaType", "415", "The body has a Content-Encoding"},
    {"RateLimited", "429", "Too many requests; Retry-After says when to try again"},
    {"InternalError", "500", "The request could not be processed"},
    {"Unavailable", "503", "Not available at the moment"},
};

// Route::documents; empty when the route has none.
class Documents {
 public:
  Documents(const Host& host, const http::Route& route)
      : json_(host.parse_json(route.documents.empty() ? "{}" : route.documents)) {}
  JsonView operator[](std::string_view member) const { return json_ ? (*json_)[member] : JsonView{}; }

 private:
  Result<Json> json_;
};

std::string request_schema(const Host& host, const http::Route& route) {
  if (!route.request_schema.empty()) return route.request_schema;
  const Documents documents(host, route);
  const JsonView schema = documents["requestSchema"];
  return schema ? host.write_json(schema) : std::string();
}

bool takes_body(const Host& host, const http::Route& route) { return !request_schema(host, route).empty(); }

// Whether the body may not be left out. A missing one is read as an empty object, so only required members
// count.
bool needs_body(const Host& host, const http::Route& route) {
  const auto schema = host.parse_json(request_schema(host, route));
  return schema && (*schema)["required"].size() > 0;
}

std::vector<std::string> path_parameters(const std::string& path) {
  std::vector<std::string> names;
  for (size_t open = path.find('{'); open != std::string::npos; open = path.find('{', open + 1))
    names.push_back(path.substr(open + 1, path.find('}', open) - open - 1));
  return names;
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

void write_parameter(JsonWriter& out, std::string_view where, std::string_view name, bool required,
                     std::string_view schema, std::string_view description = {}) {
  out.object().member("name", name).member("in", where).member("required", required);
  if (!description.empty()) out.member("description", description);
  out.key("schema").raw(schema).end();
}

void write_discriminator(JsonWriter& out, const Routes& routes, std::set<std::string>& written) {
  std::map<std::string, std::vector<std::string>> values;  // by name; "" is any value
  for (const http::Route* route : routes) {
    const auto equals = route->discriminator.find('=');
    if (equals != std::string::npos)
      values[route->discriminator.substr(0, equals)].push_back(route->discriminator.substr(equals + 1));
  }
  for (const auto& [name, all] : values) {
    written.insert(name);
    JsonWriter schema;
    schema.object().member("type", "string");
    if (std::find(all.begin(), all.end(), "") == all.end()) {
      schema.key("enum").array();
      for (const auto& value : all) schema.value(value);
      schema.end();
    }
    schema.end();
    write_parameter(out, "query", name, all.size() == routes.size(), schema.str());
  }
}

void write_query(JsonWriter& out, const Host& host, const http::Route& route, bool alone,
                 std::set<std::string>& written) {
  const auto schema = host.parse_json(route.query_schema);
  if (!schema) return;
  const JsonView properties = (*schema)["properties"];
  const JsonView required = (*schema)["required"];
  for (size_t i = 0; i < properties.size(); ++i) {
    if (!written.emplace(properties.key(i)).second) continue;
    bool needed = false;
    for (size_t n = 0; n < required.size(); ++n)
      needed = needed || required.at(n).text() == properties.key(i);
    write_parameter(out, "query", properties.key(i), needed && alone, host.write_json(properties.at(i)));
  }
}

void write_parameters(JsonWriter& out, const Host& host, const Routes& routes) {
  const http::Route& route = *routes.front();
  out.key("parameters").array();
  for (const auto& name : path_parameters(route.path))
    write_parameter(out, "path", name, true, R"({"type":"string"})");
  std::set<std::string> written;
  write_discriminator(out, routes, written);
  for (const http::Route* one : routes) write_query(out, host, *one, routes.size() == 1, written);
  for (const http::Route* one : routes) {
    const Documents documents(host, *one);
    const JsonView headers = documents["requestHeaders"];
    for (size_t i = 0; i < headers.size(); ++i)
      if (written.emplace(headers.key(i)).second)
        write_parameter(out, "header", headers.key(i), false, R"({"type":"string"})", headers.at(i).text());
  }
  if (route.list) {
    write_parameter(
        out, "query", "limit", false,
        R"({"type":"integer","minimum":1,"default":50,"maximum":)" + std::to_string(kMaxLimit) + "}",
        "Items of a page; more than the maximum is read as the maximum");
    write_parameter(out, "query", "offset", false, R"({"type":"integer","minimum":0,"default":0})");
  }
  if (route.role != "none")
    write_parameter(out, "query", "tenant", false, R"({"type":"string"})",
                    "Another tenant's host; for super-admins");
  out.end();
}

std::string list_schema(const Host& host, const http::Route& route) {
  const Documents documents(host, route);
  const JsonView siblings = documents["siblings"];
  JsonWriter out;
  out.object().member("type", "object").key("required").array();
  for (const char* name : {"data", "total", "limit", "offset", "next"}) out.value(name);
  for (size_t i = 0; i < siblings.size(); ++i) out.value(siblings.key(i));
  out.end().key("properties").object();
  for (size_t i = 0; i < siblings.size(); ++i) out.key(siblings.key(i)).raw(host.write_json(siblings.at(i)));
  out.key("data").object().member("type", "array").key("items");
  out.raw(route.reply_schema.empty() ? "{}" : route.reply_schema).end();
  out.key("total").raw(R"({"type":"integer"})").key("limit").raw(R"({"type":"integer"})");
  out.key("offset").raw(R"({"type":"integer"})").key("next");
  out.raw(R"({"type":["string","null"],"description":"Relative URL of the next page"})").end().end();
  return std::move(out).str();
}

std::string reply_schema(const Host& host, const http::Route& route) {
  return route.list ? list_schema(host, route) : route.reply_schema;
}

// Texts beside `main_type`, such as pages, that the route also answers with.
void write_other_types(JsonWriter& out, JsonView types, std::string_view main_type) {
  for (size_t i = 0; i < types.size(); ++i)
    if (types.at(i).text() != main_type) out.key(types.at(i).text()).raw(R"({"schema":{"type":"string"}})");
}

void write_error_content(JsonWriter& out, const std::string& kind, JsonView other_types = {}) {
  out.key("content").object().key("application/json").object().key("schema").object();
  out.member("$ref", "#/components/schemas/" + kind + "Error").end().end();
  write_other_types(out, other_types, "application/json");
  out.end();
}

// The value that the route's discriminator asks for, or its name if any value will do.
std::string example_name(const http::Route& route) {
  const std::string& pair = route.discriminator;
  const size_t equals = pair.find('=');
  if (equals == std::string::npos) return "example";
  return equals + 1 < pair.size() ? pair.substr(equals + 1) : pair.substr(0, equals);
}

// A form has no null.
std::string shown_request(const Host& host, const http::Route& route) {
  const std::string text = request_schema(host, route);
  const Documents documents(host, route);
  if (documents["requestType"]) return text;
  const auto schema = host.parse_json(text);
  return schema ? nullable_schema(host, schema->root()) : text;
}

// Writes the schemas and examples of the routes' request or reply, per `member`; several schemas as anyOf.
void write_content(JsonWriter& out, const Host& host, const Routes& routes, std::string_view member) {
  const Documents documents(host, *routes.front());
  const bool request = member == "request";
  std::vector<std::string> schemas;
  for (const http::Route* route : routes) {
    std::string schema = request ? shown_request(host, *route) : reply_schema(host, *route);
    if (!schema.empty()) schemas.push_back(std::move(schema));
  }
  const bool events = !request && routes.front()->kind == "events";
  out.key("content").object();
  if (events) {
    out.key("text/event-stream").object().key("schema").object().member("type", "string");
    out.member("description", "Server-sent events").end().end();
    if (schemas.empty()) return void(out.end());
  }
  const std::string_view type = documents[request ? "requestType" : "replyType"].text("application/json");
  out.key(type).object();
  if (schemas.size() == 1) out.key("schema").raw(schemas.front());
  if (schemas.size() > 1) {
    out.key("schema").object().key("anyOf").array();
    for (const auto& schema : schemas) out.raw(schema);
    out.end().end();
  }
  out.key("examples").object();
  for (const http::Route* route : routes) {
    const auto example = host.parse_json(route->example.empty() ? "{}" : route->example);
    const JsonView shown = example ? (*example)[member] : JsonView{};
    if (!shown) continue;
    out.key(example_name(*route)).object().key("value").raw(host.write_json(shown)).end();
  }
  out.end().end();
  if (!request) write_other_types(out, documents["otherTypes"], type);
  out.end();
}

// Whether a request to the route may get this status. Any request can have an invalid query or body.
bool may_answer(const http::Route& route, std::string_view status) {
  if (status == "403" && (route.kind == "websocket" || route.kind == "events")) return true;  // by its origin
  if (status == "401" || status == "403") return route.role != "none";
  if (status == "404" && route.kind == "websocket") return true;
  if (status == "404") return route.path.find('{') != std::string::npos || !route.discriminator.empty();
  return true;
}

// The descriptions that the routes give, by status.
std::map<std::string, std::string> own_statuses(const Host& host, const Routes& routes) {
  std::map<std::string, std::string> all;
  for (const http::Route* route : routes) {
    const Documents documents(host, *route);
    const JsonView statuses = documents["statuses"];
    for (size_t i = 0; i < statuses.size(); ++i) all.emplace(statuses.key(i), statuses.at(i).text());
  }
  return all;
}

void write_reply_headers(JsonWriter& out, const Host& host, const Routes& routes) {
  const Documents documents(host, *routes.front());
  const JsonView headers = documents["replyHeaders"];
  if (headers.size() == 0) return;
  out.key("headers").object();
  for (size_t i = 0; i < headers.size(); ++i) {
    out.key(headers.key(i)).object().member("description", headers.at(i).text());
    out.key("schema").raw(R"({"type":"string"})").end();
  }
  out.end();
}

void write_success(JsonWriter& out, const Host& host, const Routes& routes, const std::string& status,
                   const std::string& description) {
  out.key(status).object().member("description", description);
  write_reply_headers(out, host, routes);
  const bool has_content = status != "204" && status < "3";  // redirects have none
  if (has_content) write_content(out, host, routes, "reply");
  out.end();
}

void write_responses(JsonWriter& out, const Host& host, const Routes& routes) {
  const http::Route& route = *routes.front();
  const Documents documents(host, route);
  const std::string kind = route.message_errors ? "Message" : "";
  const auto own = own_statuses(host, routes);
  const bool named = own.lower_bound("2") != own.end() && own.lower_bound("2")->first < "3";
  out.key("responses").object();
  const auto is_web_socket = [](const http::Route* one) { return one->kind == "websocket"; };
  if (std::any_of(routes.begin(), routes.end(), is_web_socket)) {
    out.key("101").object().member("description", "The connection is a WebSocket (RFC 6455)").end();
    out.key("426").object().member("description", "Not version 13 of WebSockets");
    write_error_content(out, kind);
    out.end();
  }
  if (!named && !std::all_of(routes.begin(), routes.end(), is_web_socket))
    write_success(out, host, routes, "200", "Done");
  for (const auto& [status, description] : own) {
    if (status < "4") {
      write_success(out, host, routes, status, description);
      continue;
    }
    out.key(status).object().member("description", description);
    write_error_content(out, kind, documents["otherTypes"]);
    out.end();
  }
  for (const auto& error : kErrors) {
    if (!may_answer(route, error.status) || own.count(error.status) > 0) continue;
    // 404 of a path without parameters is the server's: the discriminator is missing or has another value.
    const bool of_server =
        error.status == std::string_view("404") && route.path.find('{') == std::string::npos;
    out.key(error.status).object();
    out.member("$ref", "#/components/responses/" + (of_server ? "" : kind) + error.name).end();
  }
  out.end();
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

// Writes one operation from the routes of one method and path, which differ in their discriminators.
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

// The responses that operations refer to, as a JSON object.
std::string shared_responses() {
  JsonWriter out;
  out.object();
  for (const char* kind : {"", "Message"}) {
    for (const auto& error : kErrors) {
      out.key(std::string(kind) + error.name).object().member("description", error.description);
      write_error_content(out, kind);
      out.end();
    }
  }
  out.end();
  return std::move(out).str();
}

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

void write_paths(JsonWriter& out, const Host& host, const std::vector<const http::Route*>& routes) {
  out.key("paths").object();
  for (size_t at = 0; at < routes.size();) {
    const std::string& path = routes[at]->path;
    out.key(path).object();
    while (at < routes.size() && routes[at]->path == path) {
      std::vector<const http::Route*> same;
      const std::string& method = routes[at]->method;
      for (; at < routes.size() && routes[at]->path == path && routes[at]->method == method; ++at)
        same.push_back(routes[at]);
      out.key(to_lower(method));
      write_operation(out, host, same);
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
  out.key("responses").raw(shared_responses()).end().end();
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

#include "openapi_operation.h"

#include <algorithm>
#include <optional>

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
    {"Forbidden", "403", "The bearer may not do this"},
    {"NotFound", "404", "There is no such thing"},
    {"MethodNotAllowed", "405", "Allow names the methods of this path"},
    {"PayloadTooLarge", "413", "The body is too large"},
    {"UnsupportedMediaType", "415", "The body has a Content-Encoding"},
    {"RateLimited", "429", "Too many requests; Retry-After says when to come again"},
    {"InternalError", "500", "The request could not be processed"},
    {"Unavailable", "503", "Not available at the moment"},
};

bool takes_body(const http::Route& route) {
  return !route.request_schema.empty() ||
         (route.method != "GET" && route.method != "DELETE" && !route.example.empty());
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

void write_discriminator(JsonWriter& out, const Routes& routes) {
  const auto& first = routes.front()->discriminator;
  if (first.empty()) return;
  JsonWriter schema;
  schema.object().member("type", "string").key("enum").array();
  for (const http::Route* route : routes)
    schema.value(route->discriminator.substr(route->discriminator.find('=') + 1));
  schema.end().end();
  write_parameter(out, "query", first.substr(0, first.find('=')), true, schema.str());
}

void write_query(JsonWriter& out, const Host& host, const http::Route& route) {
  const auto schema = host.parse_json(route.query_schema);
  if (!schema) return;
  const JsonView properties = (*schema)["properties"];
  const JsonView required = (*schema)["required"];
  for (size_t i = 0; i < properties.size(); ++i) {
    bool needed = false;
    for (size_t n = 0; n < required.size(); ++n)
      needed = needed || required.at(n).text() == properties.key(i);
    write_parameter(out, "query", properties.key(i), needed, host.write_json(properties.at(i)));
  }
}

void write_parameters(JsonWriter& out, const Host& host, const Routes& routes) {
  const http::Route& route = *routes.front();
  out.key("parameters").array();
  for (const auto& name : path_parameters(route.path))
    write_parameter(out, "path", name, true, R"({"type":"string"})");
  write_discriminator(out, routes);
  write_query(out, host, route);
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

// What `member` of the routes' examples shows, and what `schema` of them says: one, or any of several.
void write_content(JsonWriter& out, const Host& host, const Routes& routes, std::string http::Route::*schema,
                   std::string_view member) {
  Routes with;
  std::copy_if(routes.begin(), routes.end(), std::back_inserter(with),
               [&](const http::Route* route) { return !(route->*schema).empty(); });
  out.key("content").object().key("application/json").object();
  if (with.size() == 1) out.key("schema").raw(with.front()->*schema);
  if (with.size() > 1) {
    out.key("schema").object().key("anyOf").array();
    for (const http::Route* route : with) out.raw(route->*schema);
    out.end().end();
  }
  out.key("examples").object();
  for (const http::Route* route : routes) {
    const auto example = host.parse_json(route->example.empty() ? "{}" : route->example);
    const JsonView shown = example ? (*example)[member] : JsonView{};
    if (!shown) continue;
    const auto name = route->discriminator.substr(route->discriminator.find('=') + 1);
    out.key(name.empty() ? "example" : name).object().key("value").raw(host.write_json(shown)).end();
  }
  out.end().end().end();
}

std::string list_schema(const http::Route& route) {
  JsonWriter out;
  out.object().member("type", "object");
  out.key("required").raw(R"(["data","total","limit","offset","next"])").key("properties").object();
  out.key("data").object().member("type", "array").key("items");
  out.raw(route.reply_schema.empty() ? "{}" : route.reply_schema).end();
  out.key("total").raw(R"({"type":"integer"})").key("limit").raw(R"({"type":"integer"})");
  out.key("offset").raw(R"({"type":"integer"})").key("next");
  out.raw(R"({"type":["string","null"],"description":"Relative URL of the next page"})").end().end();
  return std::move(out).str();
}

bool may_answer(const http::Route& route, std::string_view status) {
  if (status == "400") return route.list || takes_body(route) || !route.query_schema.empty();
  if (status == "401" || status == "403") return route.role != "none";
  if (status == "404") return route.path.find('{') != std::string::npos;
  if (status == "413" || status == "415") return takes_body(route);
  return true;
}

void write_responses(JsonWriter& out, const Host& host, const Routes& routes) {
  const http::Route& route = *routes.front();
  out.key("responses").object();
  out.key(route.method == "POST" ? "2XX" : "200").object().member("description", "Done");
  if (route.list) {
    http::Route page = route;
    page.reply_schema = list_schema(route);
    write_content(out, host, {&page}, &http::Route::reply_schema, "reply");
  } else {
    write_content(out, host, routes, &http::Route::reply_schema, "reply");
  }
  out.end();
  for (const auto& error : kErrors) {
    if (!may_answer(route, error.status)) continue;
    const std::string kind = route.message_errors ? "Message" : "";
    out.key(error.status).object().member("$ref", "#/components/responses/" + kind + error.name).end();
  }
  out.end();
}

}  // namespace

void write_operation(JsonWriter& out, const Host& host, const Routes& routes) {
  const http::Route& route = *routes.front();
  std::string summary;
  for (const http::Route* one : routes) summary += (summary.empty() ? "" : "; ") + one->summary;
  out.object().member("operationId", operation_id(route)).member("summary", summary);
  out.key("tags").array().value(route.area.empty() ? "other" : route.area).end();
  out.key("security").raw(route.role == "none" ? "[]" : R"([{"bearer":[]}])").member("x-role", route.role);
  write_parameters(out, host, routes);
  if (std::any_of(routes.begin(), routes.end(), [](const http::Route* one) { return takes_body(*one); })) {
    out.key("requestBody").object().member("required", !route.request_schema.empty());
    write_content(out, host, routes, &http::Route::request_schema, "request");
    out.end();
  }
  write_responses(out, host, routes);
  out.end();
}

std::string shared_responses() {
  JsonWriter out;
  out.object();
  for (const char* kind : {"", "Message"}) {
    for (const auto& error : kErrors) {
      out.key(std::string(kind) + error.name).object().member("description", error.description);
      out.key("content").object().key("application/json").object().key("schema").object();
      out.member("$ref", std::string("#/components/schemas/") + kind + "Error").end().end().end().end();
    }
  }
  out.end();
  return std::move(out).str();
}

}  // namespace patchbay::rest_api

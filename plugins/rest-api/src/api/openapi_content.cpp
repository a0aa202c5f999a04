#include "openapi_content.h"

#include <utility>
#include <vector>

#include "nullable_schema.h"

namespace patchbay::rest_api::openapi {
namespace {

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

}  // namespace

std::string request_schema(const Host& host, const http::Route& route) {
  if (!route.request_schema.empty()) return route.request_schema;
  const Documents documents(host, route);
  const JsonView schema = documents["requestSchema"];
  return schema ? host.write_json(schema) : std::string();
}

void write_error_content(JsonWriter& out, const std::string& kind, JsonView other_types) {
  out.key("content").object().key("application/json").object().key("schema").object();
  out.member("$ref", "#/components/schemas/" + kind + "Error").end().end();
  write_other_types(out, other_types, "application/json");
  out.end();
}

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

}  // namespace patchbay::rest_api::openapi

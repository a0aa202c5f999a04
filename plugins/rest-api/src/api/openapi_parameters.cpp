#include "openapi_parameters.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "paging.h"

namespace patchbay::rest_api::openapi {
namespace {

std::vector<std::string> path_parameters(const std::string& path) {
  std::vector<std::string> names;
  for (size_t open = path.find('{'); open != std::string::npos; open = path.find('{', open + 1))
    names.push_back(path.substr(open + 1, path.find('}', open) - open - 1));
  return names;
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

}  // namespace

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

}  // namespace patchbay::rest_api::openapi

#include "openapi_responses.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "openapi_content.h"

namespace patchbay::rest_api::openapi {
namespace {

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

}  // namespace

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

}  // namespace patchbay::rest_api::openapi

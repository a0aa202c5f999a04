#include "userinfo_routes.h"

namespace patchbay::identity {
namespace {

constexpr char kUserinfoSchema[] =
    R"({"type":"object","required":["sub","preferred_username","name","role","tenant"],"properties":{
  "sub":{"type":"string"},"preferred_username":{"type":"string"},"name":{"type":"string"},
  "role":{"type":"string","enum":["admin","user"]},"tenant":{"type":"string"}}})";
constexpr char kUserinfoExample[] =
    R"({"reply":{"sub":"5f0c...","preferred_username":"alice","name":"Alice Ames","role":"admin",
  "tenant":"voice.example.com"}})";

// The bearer's user. A super-admin may have named another tenant, but is of the primary one.
const User* bearer_user(const Context& context, const http::Request& request) {
  const User* user = context.users.find_subject(request.tenant, request.subject);
  const Tenant* primary = context.settings.primary();
  if (user == nullptr && primary != nullptr)
    user = context.users.find_subject(primary->host, request.subject);
  return user;
}

Result<http::Response> userinfo(const Context& context, const http::Request& request) {
  const User* user = bearer_user(context, request);
  if (user == nullptr) {
    http::Response response = http::error(401, "invalid_token", "the user was removed");
    response.headers.add("WWW-Authenticate", "Bearer error=\"invalid_token\"");
    return response;
  }
  JsonWriter body;
  body.object().member("sub", user->subject).member("preferred_username", user->name);
  body.member("name", user->shown_name()).member("role", user->role).member("tenant", user->tenant).end();
  return http::ok(std::move(body).str());
}

}  // namespace

void add_userinfo_routes(http::Routes& routes, const Context& context) {
  for (const char* method : {"GET", "POST"}) {
    http::Route route;
    route.method = method;
    route.path = "/oidc.ashx/userinfo";
    route.role = "user";
    route.oidc_only = true;
    route.area = "oidc";
    route.summary = "The user of the access token (OpenID Connect Core, 5.3)";
    route.reply_schema = kUserinfoSchema;
    route.example = kUserinfoExample;
    routes.add(std::move(route),
               [&context](const http::Request& request) { return userinfo(context, request); });
  }
}

}  // namespace patchbay::identity

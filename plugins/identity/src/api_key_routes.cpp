#include "api_key_routes.h"

#include <patchbay/utc.h>

#include <algorithm>

namespace patchbay::identity {
namespace {

constexpr char kPath[] = "/api.ashx/v1/admin/keys";
constexpr char kBody[] = R"({"type": "object", "required": ["name"], "properties": {
  "name": {"type": "string", "minLength": 1, "maxLength": 64, "example": "billing", "description": "What the key is for"}}})";
constexpr char kExample[] = R"({"request": {"name": "billing"}, "reply": {"id": "key-0123456789abcdef",
  "name": "billing", "tenant": "voice.example.com", "hint": "x9Zq", "createdAtUtc": "2026-11-20T08:15:00.000Z",
  "createdBy": "alice", "key": "ak_..."}})";

JsonWriter& write_members(JsonWriter& body, const ApiKey& key) {
  return body.member("id", key.id)
      .member("name", key.name)
      .member("tenant", key.tenant)
      .member("hint", key.hint)
      .member("createdAtUtc", utc_text(key.created_ms))
      .member("createdBy", key.created_by);
}

std::string key_schema(const std::string& more = {}) {
  return R"({"type":"object","required":["id","name","tenant","hint","createdAtUtc","createdBy"],
    "properties":{"id":{"type":"string"},"name":{"type":"string"},
    "tenant":{"type":"string"},"hint":{"type":"string"},"createdAtUtc":{"type":"string"},
    "createdBy":{"type":"string"})" +
         more + "}}";
}

http::Route route(const char* method, std::string path, const char* summary) {
  http::Route made;
  made.method = method;
  made.path = std::move(path);
  made.area = "keys";
  made.summary = summary;
  return made;
}

}  // namespace

void ApiKeyRoutes::add_to(http::Routes& routes) {
  http::Route create = route("POST", kPath, "Creates an API key; it is shown in this response only");
  create.oidc_only = true;
  create.request_schema = kBody;
  create.example = kExample;
  create.reply_schema = key_schema(R"(,"key":{"type":"string"})");
  create.documents =
      R"({"statuses": {"201": "Created", "409": "conflict: the tenant has a key of this name already"}})";
  routes.add(std::move(create),
             [this](const http::Request& request, Reply reply) { this->create(request, std::move(reply)); });
  http::Route list = route("GET", kPath, "Lists the API keys");
  list.list = true;
  list.reply_schema = key_schema();
  routes.add(std::move(list),
             [this](const http::Request& request, Reply reply) { this->list(request, std::move(reply)); });
  http::Route removal = route("DELETE", std::string(kPath) + "/{id}", "Revokes an API key, at once");
  removal.reply_schema = R"({"type":"object","properties":{"deleted":)" + key_schema() + "}}";
  routes.add(std::move(removal),
             [this](const http::Request& request, Reply reply) { remove(request, std::move(reply)); });
}

// Requests at the admin socket have no tenant; without ?tenant= they concern the primary one.
std::string ApiKeyRoutes::tenant_of(const http::Request& request) const {
  if (!request.tenant.empty()) return request.tenant;
  const Tenant* primary = context_.settings.primary();
  return primary != nullptr ? primary->host : std::string();
}

// Adds the host to the name of a super-admin of another tenant, because both tenants may have a user of that
// name.
std::string ApiKeyRoutes::creator(const http::Request& request, const std::string& tenant) const {
  for (const auto& [host, of] : context_.settings.tenants) {
    const User* user = host != tenant ? context_.users.find(host, request.username) : nullptr;
    if (user != nullptr && user->subject == request.subject) return request.username + "@" + host;
  }
  return request.username;
}

void ApiKeyRoutes::create(const http::Request& request, Reply reply) {
  const std::string tenant = tenant_of(request);
  if (context_.settings.tenant(tenant) == nullptr)
    return reply(http::error(400, "invalid_request", "tenant is not configured"));
  const std::string name(request.json().text("name", ""));
  if (!is_key_name(name))
    return reply(http::error(400, "invalid_request",
                             "name must be printable and begin and end with no blank, such as \"billing\""));
  keys_.create(
      tenant, name, creator(request, tenant), audit::record_of(request, "key.created", "", "", ""),
      alive_.bind([this, request, reply = std::move(reply)](const Result<NewApiKey>& made) mutable {
        if (!made && made.error().code == Code::conflict)
          return reply(http::error(
              409, "conflict", "there is an API key of this name: revoke it, or name this one differently"));
        if (!made) return reply(made.error());
        context_.log.with(request.correlation)
            .info("an API key was created", {{"id", made->key.id},
                                             {"tenant", made->key.tenant},
                                             {"name", made->key.name},
                                             {"actor", request.username}});
        JsonWriter answer;
        write_members(answer.object(), made->key).member("key", made->secret).end();
        http::Response response = http::ok(std::move(answer).str());
        response.status = 201;
        reply(std::move(response));
      }));
}

void ApiKeyRoutes::list(const http::Request& request, Reply reply) {
  keys_.list(tenant_of(request), [limit = request.limit, offset = std::max<int64_t>(request.offset, 0),
                                  reply = std::move(reply)](const Result<std::vector<ApiKey>>& keys) mutable {
    if (!keys) return reply(keys.error());
    const auto total = static_cast<int64_t>(keys->size());
    JsonWriter body;
    body.object().key("data").array();
    for (int64_t i = offset; i < total && i - offset < limit; ++i)
      write_members(body.object(), (*keys)[static_cast<size_t>(i)]).end();
    body.end().end();
    http::Response response = http::ok(std::move(body).str());
    response.total = total;
    reply(std::move(response));
  });
}

void ApiKeyRoutes::remove(const http::Request& request, Reply reply) {
  keys_.remove(tenant_of(request), std::string(request.params.text("id")),
               audit::record_of(request, "key.revoked", "", "", ""),
               alive_.bind([this, request,
                            reply = std::move(reply)](const Result<std::optional<ApiKey>>& removed) mutable {
                 if (!removed) return reply(removed.error());
                 if (!*removed) return reply(http::error(404, "not_found", "there is no such API key"));
                 context_.log.with(request.correlation)
                     .info("an API key was revoked", {{"id", (*removed)->id},
                                                      {"tenant", (*removed)->tenant},
                                                      {"name", (*removed)->name},
                                                      {"actor", request.username}});
                 JsonWriter answer;
                 write_members(answer.object().key("deleted").object(), **removed).end().end();
                 reply(http::ok(std::move(answer).str()));
               }));
}

}  // namespace patchbay::identity

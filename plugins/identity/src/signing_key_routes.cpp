#include "signing_key_routes.h"

#include <patchbay/services/http_list.h>
#include <patchbay/utc.h>

namespace patchbay::identity {
namespace {

constexpr char kSigningKeysPath[] = "/api.ashx/v1/admin/signing-keys";
constexpr char kSigningKeySchema[] =
    R"({"type":"object","required":["kid","state","createdAtUtc","verifiesUntilUtc"],
  "properties":{"kid":{"type":"string"},"state":{"type":"string","enum":["current","next","retired"]},
  "createdAtUtc":{"type":"string"},"verifiesUntilUtc":{"type":"string","description":"of a retired key"}}})";

void write_key(JsonWriter& body, const SigningKeyStore::Info& key) {
  const auto time = [](int64_t ms) { return ms > 0 ? utc_text(ms) : std::string(); };
  body.object().member("kid", key.kid).member("state", key.state);
  body.member("createdAtUtc", time(key.created_ms));
  body.member("verifiesUntilUtc", time(key.verify_until_ms)).end();
}

std::string current_key(const std::string& kid) {
  return JsonWriter().object().member("current", kid).end().str();
}

}  // namespace

void SigningKeyRoutes::add_to(http::Routes& routes) {
  http::Route list_route;
  list_route.method = "GET";
  list_route.path = kSigningKeysPath;
  list_route.role = "super";
  list_route.area = "keys";
  list_route.summary = "Lists the keys of tokens: the current, the next and the retired ones";
  list_route.list = true;
  list_route.oidc_only = true;
  list_route.reply_schema = kSigningKeySchema;
  routes.add(list_route,
             [this](const http::Request& request, Reply reply) { list(request, std::move(reply)); });
  http::Route rotation = list_route;
  rotation.method = "POST";
  rotation.path = std::string(kSigningKeysPath) + "/rotate";
  rotation.summary = "Signs new tokens with the next key; earlier tokens remain valid";
  rotation.list = false;
  rotation.reply_schema =
      R"({"type":"object","required":["keys"],"properties":{"keys":{"type":"array","items":)" +
      std::string(kSigningKeySchema) + "}}}";
  rotation.documents =
      R"({"statuses": {"409": "read_only: the key is the file keyFile; conflict: rotated meanwhile, or, at servers that share a database, less than 2 s after a rotation or a start"}})";
  routes.add(std::move(rotation),
             [this](const http::Request& request, Reply reply) { rotate(request, std::move(reply)); });
}

void SigningKeyRoutes::list(const http::Request& request, Reply reply) {
  reply(http::list_page(keys_.keys(), request,
                        [](JsonWriter& body, const auto& key) { write_key(body, key); }));
}

void SigningKeyRoutes::rotate(const http::Request& request, Reply reply) {
  if (keys_.from_file())
    return reply(http::error(409, "read_only", "the signing key is the file keyFile of the configuration"));
  if (keys_.is_next_new())
    return reply(http::error(
        409, "conflict",
        "this server has known the next key for less than 2 s, so that others may not know it: try again"));
  auto tx = keys_.rotate();
  if (!tx) return reply(tx.error());
  const std::string before = context_.keys.current().kid();
  const std::string after = keys_.keys()[1].kid;
  audit::Record record =
      audit::record_of(request, "signing-key.rotated", after, current_key(before), current_key(after));
  record.tenant.clear();
  trail_.commit(
      *std::move(tx), std::move(record),
      alive_.bind([this, request, reply = std::move(reply)](const Commit& done) mutable {
        if (!done && done.code() == Code::conflict)
          return reply(http::error(409, "conflict", "the keys were rotated meanwhile"));
        if (!done) return reply(done.error());
        keys_.reload(alive_.bind([this, request, reply = std::move(reply)](const Status& loaded) mutable {
          if (!loaded) return reply(loaded.error());
          context_.log.with(request.correlation)
              .info("the signing keys were rotated",
                    {{"current", context_.keys.current().kid()}, {"actor", request.username}});
          JsonWriter body;
          body.object().key("keys").array();
          for (const auto& key : keys_.keys()) write_key(body, key);
          reply(http::ok(body.end().end().str()));
        }));
      }));
}

}  // namespace patchbay::identity

#include "revocation_routes.h"

#include "form_request.h"

namespace patchbay::identity {
namespace {

constexpr char kRevokeDocuments[] = R"({
  "requestType": "application/x-www-form-urlencoded",
  "requestSchema": {"type":"object","required":["token","client_id"],"properties":{
    "token":{"type":"string","description":"A refresh token, whose grant ends, or an access token"},
    "token_type_hint":{"type":"string","description":"Not needed"},
    "client_id":{"type":"string"}}},
  "statuses": {"200": "The token is not valid, or not valid any more",
               "400": "RFC 7009, 2.2.1: invalid_request, invalid_grant (of another client) or unsupported_token_type",
               "401": "invalid_client: this client_id is not configured"}})";

http::Response revoke_error(const char* code, const char* description) {
  return http::error(400, code, description);
}

}  // namespace

void RevocationRoutes::add_to(http::Routes& routes) {
  http::Route route = form_route("/oidc.ashx/revoke");
  route.summary = "Revokes a refresh token with its grant, or an access token (RFC 7009)";
  route.reply_schema = R"({"type":"object"})";
  route.example = R"({"request": "token=rt_...&client_id=patchbay-admin", "reply": {}})";
  route.documents = kRevokeDocuments;
  routes.add(std::move(route),
             [this](const http::Request& request, Reply reply) { handle(request, std::move(reply)); });
}

void RevocationRoutes::handle(const http::Request& request, Reply reply) {
  const FormRequest read = read_form_request(context_.settings, request);
  if (!read.fault.empty()) return reply(revoke_error("invalid_request", read.fault.c_str()));
  const Asked asked{read.tenant->host, read.form["client_id"], read.form["token"]};
  if (asked.token.empty()) return reply(revoke_error("invalid_request", "token is missing"));
  if (auto refusal = refuse_client(*read.tenant, asked.client_id)) return reply(*std::move(refusal));
  if (looks_like_api_key(asked.token))
    return reply(revoke_error("unsupported_token_type",
                              "an API key is revoked by DELETE /api.ashx/v1/admin/keys/{id}"));
  if (context_.revoked.full(asked.tenant)) return reply(Error{Code::exhausted, "too many revoked tokens"});
  if (asked.token.find('.') == std::string::npos) return revoke_refresh_token(asked, std::move(reply));
  revoke_access_token(asked, std::move(reply));
}

void RevocationRoutes::revoke_refresh_token(const Asked& asked, Reply reply) {
  refresh_.find(asked.token, asked.tenant,
                alive_.bind([this, asked, reply = std::move(reply)](const Result<Grant>& grant) mutable {
                  if (!grant && grant.error().code != Code::denied) return reply(grant.error());
                  if (!grant) return reply(http::ok("{}"));
                  if (grant->client_id != asked.client_id)
                    return reply(revoke_error("invalid_grant", "the token is of another client"));
                  revocation_.family(grant->tenant, grant->family,
                                     [reply = std::move(reply)](const Status& done) mutable {
                                       if (!done) return reply(done.error());
                                       reply(http::ok("{}"));
                                     });
                }));
}

void RevocationRoutes::revoke_access_token(const Asked& asked, Reply reply) {
  const auto claims = verifier_.access_claims(asked.token);
  if (!claims || claims->tenant != asked.tenant) return reply(http::ok("{}"));
  if (!claims->client_id.empty() && claims->client_id != asked.client_id)
    return reply(revoke_error("invalid_grant", "the token is of another client"));
  revocation_.token(asked.tenant, claims->id, claims->expires_sec * 1000,
                    [reply = std::move(reply)](const Status& done) mutable {
                      if (!done) return reply(done.error());
                      reply(http::ok("{}"));
                    });
}

}  // namespace patchbay::identity

#include "discovery_routes.h"

#include <utility>

namespace patchbay::identity {
namespace {

constexpr char kJwksSchema[] = R"({"type":"object","required":["keys"],"properties":{
  "keys":{"type":"array","items":{"type":"object","required":["kty","kid","alg","crv","x","y"],"properties":{
    "kty":{"type":"string"},"use":{"type":"string"},"alg":{"type":"string"},"kid":{"type":"string"},
    "crv":{"type":"string"},"x":{"type":"string"},"y":{"type":"string"}}}}}})";

constexpr char kDiscoverySchema[] =
    R"({"type":"object","required":["issuer","authorization_endpoint","token_endpoint","userinfo_endpoint",
  "revocation_endpoint","end_session_endpoint","jwks_uri","response_types_supported"],"properties":{
  "issuer":{"type":"string"},"authorization_endpoint":{"type":"string"},"token_endpoint":{"type":"string"},
  "userinfo_endpoint":{"type":"string"},"revocation_endpoint":{"type":"string"},
  "end_session_endpoint":{"type":"string"},"jwks_uri":{"type":"string"},
  "grant_types_supported":{"type":"array","items":{"type":"string"}},
  "response_types_supported":{"type":"array","items":{"type":"string"}},
  "response_modes_supported":{"type":"array","items":{"type":"string"}},
  "code_challenge_methods_supported":{"type":"array","items":{"type":"string"}},
  "prompt_values_supported":{"type":"array","items":{"type":"string"}},
  "scopes_supported":{"type":"array","items":{"type":"string"}},
  "subject_types_supported":{"type":"array","items":{"type":"string"}},
  "id_token_signing_alg_values_supported":{"type":"array","items":{"type":"string"}},
  "token_endpoint_auth_methods_supported":{"type":"array","items":{"type":"string"}},
  "revocation_endpoint_auth_methods_supported":{"type":"array","items":{"type":"string"}},
  "claims_supported":{"type":"array","items":{"type":"string"}},
  "authorization_response_iss_parameter_supported":{"type":"boolean"},
  "claims_parameter_supported":{"type":"boolean"},
  "request_parameter_supported":{"type":"boolean"},
  "request_uri_parameter_supported":{"type":"boolean"}}})";

constexpr std::pair<const char*, const char*> kEndpoints[] = {
    {"authorization_endpoint", "/oidc.ashx/authorize"}, {"token_endpoint", "/oidc.ashx/token"},
    {"userinfo_endpoint", "/oidc.ashx/userinfo"},       {"revocation_endpoint", "/oidc.ashx/revoke"},
    {"end_session_endpoint", "/oidc.ashx/logout"},      {"jwks_uri", "/oidc.ashx/jwks"}};

http::Route open_route(const char* path, const char* summary, const char* schema) {
  http::Route route;
  route.reply_schema = schema;
  route.method = "GET";
  route.path = path;
  route.role = "none";
  route.area = "oidc";
  route.summary = summary;
  return route;
}

void texts(JsonWriter& body, const char* name, std::initializer_list<const char*> values) {
  body.key(name).array();
  for (const char* value : values) body.value(value);
  body.end();
}

}  // namespace

std::string discovery_document(const std::string& issuer) {
  JsonWriter body;
  body.object().member("issuer", issuer);
  for (const auto& [name, path] : kEndpoints) body.member(name, issuer + path);
  texts(body, "grant_types_supported", {"authorization_code", "refresh_token", "password"});
  texts(body, "response_types_supported", {"code"});
  texts(body, "response_modes_supported", {"query"});
  texts(body, "code_challenge_methods_supported", {"S256"});
  texts(body, "prompt_values_supported", {"none", "login", "select_account"});
  texts(body, "scopes_supported", {"openid", "profile", "offline_access"});
  texts(body, "subject_types_supported", {"public"});
  texts(body, "id_token_signing_alg_values_supported", {"ES256"});
  texts(body, "token_endpoint_auth_methods_supported", {"none"});
  texts(body, "revocation_endpoint_auth_methods_supported", {"none"});
  texts(body, "claims_supported",
        {"iss", "aud", "sub", "preferred_username", "name", "tenant", "role", "iat", "exp", "auth_time",
         "nonce", "at_hash", "sid"});
  body.member("authorization_response_iss_parameter_supported", true);
  for (const char* absent :
       {"claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported"})
    body.member(absent, false);
  body.end();
  return std::move(body).str();
}

void add_discovery_routes(http::Routes& routes, const Context& context) {
  routes.add(
      open_route("/oidc.ashx/jwks", "The public keys that tokens are signed with (RFC 7517)", kJwksSchema),
      [&context](const http::Request&) -> Result<http::Response> { return http::ok(context.keys.jwks()); });
  routes.add(open_route("/.well-known/openid-configuration",
                        "The metadata of the OpenID provider (OIDC Discovery)", kDiscoverySchema),
             [&context](const http::Request& request) -> Result<http::Response> {
               const Tenant* tenant = context.settings.tenant(request.tenant);
               return http::ok(discovery_document(tenant ? tenant->issuer : context.settings.issuer));
             });
}

}  // namespace patchbay::identity

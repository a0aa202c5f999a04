#include "token_routes.h"

#include "form_request.h"

namespace patchbay::identity {
namespace {

constexpr char kTokenExample[] =
    R"({"request": "grant_type=password&client_id=patchbay-admin&username=alice&password=...&scope=openid",
        "reply": {"access_token": "eyJ...", "token_type": "Bearer", "expires_in": 3600, "scope": "openid",
                  "id_token": "eyJ..."}})";
constexpr char kTokenReply[] =
    R"({"type":"object","required":["access_token","token_type","expires_in","scope"],"properties":{
  "access_token":{"type":"string"},"token_type":{"type":"string"},"expires_in":{"type":"integer"},
  "scope":{"type":"string"},"refresh_token":{"type":"string"},"id_token":{"type":"string"}}})";
constexpr char kTokenDocuments[] = R"({
  "requestType": "application/x-www-form-urlencoded",
  "requestSchema": {"type":"object","required":["grant_type","client_id"],"properties":{
    "grant_type":{"type":"string","enum":["password","refresh_token","authorization_code"]},
    "client_id":{"type":"string"},
    "username":{"type":"string"},"password":{"type":"string"},"refresh_token":{"type":"string"},
    "code":{"type":"string"},"redirect_uri":{"type":"string"},"code_verifier":{"type":"string"},
    "scope":{"type":"string"}}},
  "statuses": {"400": "RFC 6749, 5.2: invalid_request, invalid_grant or unsupported_grant_type",
               "401": "invalid_client: this client_id is not configured"}})";

}  // namespace

TokenRoutes::TokenRoutes(Context& context, SignInChecker& checker, RefreshTokens& refresh, CodeStore& codes)
    : context_(context),
      password_(context, checker, refresh),
      refresh_token_(context, checker, refresh),
      code_(context, checker, codes) {}

void TokenRoutes::add_to(http::Routes& routes) {
  http::Route route = form_route("/oidc.ashx/token");
  route.summary =
      "Issues an access token for a password, a refresh token or an authorization code (RFC 6749)";
  route.example = kTokenExample;
  route.reply_schema = kTokenReply;
  route.documents = kTokenDocuments;
  routes.add(std::move(route),
             [this](const http::Request& request, TokenReply reply) { handle(request, std::move(reply)); });
}

void TokenRoutes::handle(const http::Request& request, TokenReply reply) {
  FormRequest read = read_form_request(context_.settings, request);
  if (read.tenant != nullptr && request.body.view().substr(0, 1) == "{")
    return reply(
        token_error("invalid_request",
                    "send a form, not JSON: grant_type=password&client_id=...&username=...&password=..."));
  if (!read.fault.empty()) return reply(token_error("invalid_request", read.fault.c_str()));

  TokenRequest asked;
  asked.tenant = read.tenant->host;
  asked.client_id = read.form["client_id"];
  const std::string grant_type = read.form["grant_type"];
  asked.attempt = {asked.tenant, read.form["username"], grant_type, request.remote, request.correlation};
  asked.form = std::move(read.form);
  if (grant_type.empty())
    return reply(token_error("invalid_request", "grant_type is missing; for example password"));
  const bool known =
      grant_type == "password" || grant_type == "refresh_token" || grant_type == "authorization_code";
  if (!known)
    return reply(token_error("unsupported_grant_type",
                             "grant_type must be password, refresh_token or authorization_code"));
  if (auto refusal = refuse_client(*read.tenant, asked.client_id)) return reply(*std::move(refusal));
  if (grant_type == "password") return password_.answer(std::move(asked), std::move(reply));
  if (grant_type == "refresh_token") return refresh_token_.answer(std::move(asked), std::move(reply));
  code_.answer(std::move(asked), std::move(reply));
}

}  // namespace patchbay::identity

#include "authorizer.h"

#include <patchbay/log.h>

#include <algorithm>
#include <memory>

#include "http/authority.h"

namespace patchbay::rest_api {
namespace {

Refusal unauthorized(std::string_view why) { return {401, "invalid_token", std::string(why)}; }
Refusal forbidden(std::string_view why) { return {403, "insufficient_role", std::string(why)}; }
Refusal too_many() { return {429, "rate_limited", "too many bearers were refused; slow down"}; }
Refusal no_auth() {
  return {503, "auth_unavailable", "bearers cannot be checked at the moment; try again later"};
}

// Nothing for what is no single, sane bearer.
std::optional<std::string> bearer_of(const Request& request) {
  std::optional<std::string> bearer;
  for (const auto& [name, value] : request.headers) {
    if (name != "authorization") continue;
    if (bearer) return std::nullopt;
    const auto space = value.find(' ');
    if (!iequals(value.substr(0, space), "Bearer")) return std::nullopt;
    const auto start = space == std::string_view::npos ? space : value.find_first_not_of(' ', space);
    if (start == std::string_view::npos) return std::nullopt;
    bearer = value.substr(start);
  }
  return bearer;
}

Refusal refusal_of(const Error& error) {
  switch (error.code) {
    case Code::denied:
    case Code::invalid:
    case Code::not_found:
      return {401, "invalid_token", "the bearer is not valid", R"(Bearer error="invalid_token")"};
    case Code::unavailable:
    case Code::gone:
    case Code::exhausted:
    case Code::timeout:
    case Code::cancelled:
      return no_auth();
    default:
      return {500, "internal_error", "the bearer could not be checked"};
  }
}

std::optional<Refusal> check_role(const http::Route& route, const auth::Principal& who) {
  if (route.role == "admin" && who.role != "admin") return forbidden("this needs a bearer with role=admin");
  if (route.role == "super" && !who.is_super) return forbidden("this needs an admin of the primary tenant");
  if (route.oidc_only && who.is_key) return forbidden("this needs an OIDC access token, not an API key");
  return std::nullopt;
}

}  // namespace

void Gatekeeper::admit(const Request& request, const http::Route& route, Then then) {
  if (request.surface == kLocal) return then(operator_of(request));
  if (route.role == "none") {
    Verdict open;
    if (tenants_->has(request.host)) open.caller.tenant = request.host;
    return then(std::move(open));
  }
  const auto bearer = bearer_of(request);
  if (!bearer) return then({unauthorized("this needs the header Authorization: Bearer <token>"), {}});
  // Shared by the check and, when it is not to be, the refusal.
  const auto shared = std::make_shared<Then>(std::move(then));
  const bool taken = throttle_.run(
      request.client, *bearer,
      [this, shared, bearer = *bearer, &request, &route] { verify(bearer, request, route, shared); });
  if (!taken) (*shared)({too_many(), {}});
}

void Gatekeeper::verify(const std::string& bearer, const Request& request, const http::Route& route,
                        const std::shared_ptr<Then>& then) {
  auth_.call(
      auth::Auth::verify, {bearer, request.client},
      [this, bearer, &request, &route, then](const Result<auth::Principal>& who) {
        const auto verdict = judge(request, route, who);
        const bool is_bad = verdict.refusal && verdict.refusal->status == 401;
        if (who || is_bad) throttle_.note(bearer, who.ok());
        if (!who)
          Log(*host_).debug("a bearer was refused", {{"remote", request.client}, {"why", who.error().text}});
        (*then)(verdict);
      });
}

bool Gatekeeper::has_bearer(const Request& request) { return bearer_of(request).has_value(); }

Gatekeeper::Verdict Gatekeeper::operator_of(const Request& request) const {
  Verdict verdict;
  verdict.caller = {tenants_->primary(), "operator", "operator", "admin", true, false};
  verdict.refusal = choose_tenant(request, verdict.caller);
  return verdict;
}

Gatekeeper::Verdict Gatekeeper::judge(const Request& request, const http::Route& route,
                                      const Result<auth::Principal>& who) const {
  if (!who) return {refusal_of(who.error()), {}};
  Verdict verdict;
  verdict.caller = {who->tenant, who->subject, who->username, who->role, who->is_super, who->is_key};
  verdict.refusal = check_role(route, *who);
  if (!verdict.refusal) verdict.refusal = choose_tenant(request, verdict.caller);
  return verdict;
}

std::optional<Refusal> Gatekeeper::choose_tenant(const Request& request, Caller& caller) const {
  const std::string* named = request.query_value("tenant");
  if (named == nullptr || named->empty()) return std::nullopt;
  const auto host = parse_authority(*named);
  if (host && *host == caller.tenant) return std::nullopt;
  if (!caller.is_super) return forbidden("only a super-admin may name another tenant");
  if (!host || !tenants_->has(*host))
    return Refusal{400, "invalid_request", "tenant: there is no such tenant"};
  caller.tenant = *host;
  return std::nullopt;
}

}  // namespace patchbay::rest_api

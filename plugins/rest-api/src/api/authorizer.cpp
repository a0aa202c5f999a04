#include "authorizer.h"

#include <patchbay/log.h>
#include <patchbay/services/http_rules.h>
#include <patchbay/text.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "http/authority.h"

namespace patchbay::rest_api {
namespace {

Refusal unauthorized(std::string_view why) { return {401, "invalid_token", std::string(why)}; }
Refusal forbidden(std::string_view why) { return {403, "insufficient_role", std::string(why)}; }
Refusal too_many() { return {429, "rate_limited", "too many bearers were refused; slow down"}; }
Refusal no_auth() {
  return {503, "auth_unavailable", "bearers cannot be checked at the moment; try again later"};
}

// That of a WebSocket, which a browser opens without other headers: the subprotocol "bearer.<token>".
std::optional<std::string_view> bearer_among_subprotocols(const Request& request) {
  constexpr std::string_view kPrefix = "bearer.";
  std::optional<std::string_view> bearer;
  bool twice = false;
  for (const auto& [name, value] : request.headers) {
    if (name != "sec-websocket-protocol") continue;
    http::for_each_word(value, [&](std::string_view word) {
      if (!word.starts_with(kPrefix) || word.size() == kPrefix.size()) return;
      twice = twice || bearer;
      bearer = word.substr(kPrefix.size());
    });
  }
  return twice ? std::nullopt : bearer;
}

// Nothing unless there is exactly one well-formed bearer.
std::optional<std::string_view> bearer_of(const Request& request, const http::Route& route) {
  std::optional<std::string_view> bearer;
  if (route.kind == "websocket" && request.header("authorization") == nullptr)
    return bearer_among_subprotocols(request);
  for (const auto& [name, value] : request.headers) {
    if (name != "authorization") continue;
    if (bearer) return std::nullopt;
    const auto space = value.find(' ');
    if (!equals_ignoring_case(value.substr(0, space), "Bearer")) return std::nullopt;
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

std::optional<Refusal> check_role(const http::Route& route, const auth::Principal& principal) {
  if (route.role == "admin" && principal.role != "admin")
    return forbidden("this needs a bearer with role=admin");
  if (route.role == "super" && !principal.is_super)
    return forbidden("this needs an admin of the primary tenant");
  if (route.oidc_only && principal.is_key)
    return forbidden("this needs an OIDC access token, not an API key");
  return std::nullopt;
}

}  // namespace

void Authorizer::authorize(const Request& request, const http::Route& route, Done done) {
  if (request.listener_role == kLocal) return done(decide_operator(request));
  if (route.role == "none") {
    Decision anonymous;
    if (tenants_->has(request.host)) anonymous.caller.tenant = request.host;
    return done(std::move(anonymous));
  }
  const auto bearer = bearer_of(request, route);
  if (!bearer) return done({unauthorized("this needs the header Authorization: Bearer <token>"), {}});
  // Shared by the check and the refusal, of which one runs.
  const auto shared = std::make_shared<Done>(std::move(done));
  const std::string name = throttle_.name_of(*bearer);
  const bool accepted =
      throttle_.run(request.client, name, [this, shared, bearer = *bearer, name, &request, &route] {
        verify({bearer, name}, request, route, shared);
      });
  if (!accepted) (*shared)({too_many(), {}});
}

void Authorizer::verify(const Bearer& bearer, const Request& request, const http::Route& route,
                        const std::shared_ptr<Done>& done) {
  auth_.call(auth::Auth::verify, {std::string(bearer.text), request.client},
             [this, name = bearer.name, &request, &route, done](const Result<auth::Principal>& principal) {
               auto decision = decide(request, route, principal);
               const bool is_bad = decision.refusal && decision.refusal->status == 401;
               if (principal || is_bad) throttle_.record(name, principal.ok());
               if (!principal)
                 Log(*host_).debug("a bearer was refused",
                                   {{"remote", request.client}, {"why", principal.error().text}});
               (*done)(std::move(decision));
             });
}

bool Authorizer::has_bearer(const Request& request, const http::Route& route) {
  return bearer_of(request, route).has_value();
}

Authorizer::Decision Authorizer::decide_operator(const Request& request) const {
  Decision decision;
  decision.caller = {tenants_->primary(), "operator", "operator", "admin", true, false};
  decision.refusal = choose_tenant(request, decision.caller);
  return decision;
}

Authorizer::Decision Authorizer::decide(const Request& request, const http::Route& route,
                                        const Result<auth::Principal>& principal) const {
  if (!principal) return {refusal_of(principal.error()), {}};
  Decision decision;
  decision.caller = {principal->tenant, principal->subject,  principal->username,
                     principal->role,   principal->is_super, principal->is_key};
  decision.refusal = check_role(route, *principal);
  if (!decision.refusal) decision.refusal = choose_tenant(request, decision.caller);
  return decision;
}

std::optional<Refusal> Authorizer::choose_tenant(const Request& request, Caller& caller) const {
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

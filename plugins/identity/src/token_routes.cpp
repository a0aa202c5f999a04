#include "token_routes.h"

#include "identity_limits.h"
#include "rate/address_key.h"
#include "token_issuer.h"

namespace patchbay::identity {

struct TokenRoutes::SignIn {
  std::string grant_type;
  Grant grant;
  std::string remote;
  std::string correlation;

  bool wants(std::string_view scope) const {
    return (" " + grant.scope + " ").find(" " + std::string(scope) + " ") != std::string::npos;
  }
  SignInLimits::Attempt attempt() const { return {grant.tenant + "\n" + grant.username, remote}; }
};

namespace {

// Returns the supported ones of the requested scopes, each once.
std::string supported_scopes(const std::string& requested) {
  std::string known;
  for (const char* scope : {"openid", "offline_access"}) {
    if ((" " + requested + " ").find(std::string(" ") + scope + " ") == std::string::npos) continue;
    if (!known.empty()) known += ' ';
    known += scope;
  }
  return known;
}

http::Response retry_later(int64_t status, const char* code, const char* text, int64_t wait_sec) {
  http::Response response = http::error(status, code, text);
  response.headers.add("Retry-After", std::to_string(wait_sec));
  return response;
}

Metric outcome(const Host& host, const char* name) {
  return Metric::counter(host, "patchbay_identity_sign_ins_total",
                         "Requests to the token endpoint by outcome; slowed ones count again when they end",
                         {{"outcome", name}});
}

}  // namespace

TokenRoutes::TokenRoutes(Context& context, PasswordQueue& passwords)
    : context_(context),
      passwords_(passwords),
      refresh_(context),
      signed_in_(outcome(context.host, "ok")),
      refused_(outcome(context.host, "refused")),
      throttled_(outcome(context.host, "throttled")),
      slowed_(outcome(context.host, "slowed")),
      busy_(outcome(context.host, "busy")) {}

int64_t TokenRoutes::wait_ms(const SignIn& sign_in) const {
  const int64_t now_ns = context_.host.mono_ns();
  return sign_in.grant_type == "password" ? limits_.wait_ms(sign_in.attempt(), now_ns)
                                          : limits_.wait_at_ms(sign_in.remote, now_ns);
}

void TokenRoutes::add_to(http::Routes& routes) {
  http::Route route;
  route.method = "POST";
  route.path = "/oidc.ashx/token";
  route.role = "none";
  route.max_body_bytes = int64_t{kMaxFormBytes};
  route.area = "oidc";
  route.summary = "Issues an access token for a password or a refresh token (RFC 6749)";
  route.example =
      R"({"request": "grant_type=password&client_id=patchbay-admin&username=alice&password=...&scope=openid",
          "reply": {"access_token": "eyJ...", "token_type": "Bearer", "expires_in": 3600, "scope": "openid",
                    "id_token": "eyJ..."}})";
  route.reply_schema =
      R"({"type":"object","required":["access_token","token_type","expires_in","scope"],"properties":{
    "access_token":{"type":"string"},"token_type":{"type":"string"},"expires_in":{"type":"integer"},
    "scope":{"type":"string"},"refresh_token":{"type":"string"},"id_token":{"type":"string"}}})";
  route.documents = R"({
    "requestType": "application/x-www-form-urlencoded",
    "requestSchema": {"type":"object","required":["grant_type","client_id"],"properties":{
      "grant_type":{"type":"string","enum":["password","refresh_token"]},"client_id":{"type":"string"},
      "username":{"type":"string"},"password":{"type":"string"},"refresh_token":{"type":"string"},
      "scope":{"type":"string"}}},
    "statuses": {"400": "RFC 6749, 5.2: invalid_request, invalid_grant or unsupported_grant_type",
                 "401": "invalid_client: this client_id is not configured"}})";
  routes.add(std::move(route),
             [this](const http::Request& request, Reply reply) { handle(request, std::move(reply)); });
}

void TokenRoutes::handle(const http::Request& request, Reply reply) {
  const Tenant* tenant = context_.settings.tenant(request.tenant);
  if (tenant == nullptr)
    return reply(http::error(400, "invalid_request", "no tenant is served under this host name"));
  if (request.body.view().substr(0, 1) == "{")
    return reply(
        http::error(400, "invalid_request",
                    "send a form, not JSON: grant_type=password&client_id=...&username=...&password=..."));
  const auto form = Form::parse(request.body.view());
  if (!form) return reply(http::error(400, "invalid_request", form.error().text));

  SignIn sign_in;
  sign_in.grant_type = (*form)["grant_type"];
  sign_in.grant = {tenant->host, (*form)["username"], (*form)["client_id"],
                   supported_scopes((*form)["scope"])};
  sign_in.remote = request.remote;
  sign_in.correlation = request.correlation;
  if (sign_in.grant_type.empty()) return reply(http::error(400, "invalid_request", "grant_type is missing"));
  if (sign_in.grant_type != "password" && sign_in.grant_type != "refresh_token")
    return reply(http::error(400, "unsupported_grant_type", "grant_type must be password or refresh_token"));
  if (sign_in.grant.client_id.empty())
    return reply(http::error(400, "invalid_request", "client_id is missing"));
  if (tenant->clients.count(sign_in.grant.client_id) == 0)
    return reply(http::error(401, "invalid_client", "this client_id is not configured"));
  if (sign_in.grant_type == "password") return grant_by_password(sign_in, *form, std::move(reply));
  grant_by_refresh_token(std::move(sign_in), *form, std::move(reply));
}

// An unknown or disabled user gets the same reply as a wrong password, after the same time.
void TokenRoutes::grant_by_password(const SignIn& sign_in, const Form& form, Reply reply) {
  const std::string& password = form["password"];
  if (sign_in.grant.username.empty() || password.empty())
    return reply(http::error(400, "invalid_request", "username and password are needed"));
  if (sign_in.grant.username.size() > kMaxUserNameBytes || password.size() > kMaxPasswordBytes)
    return refuse(sign_in, "too long", std::move(reply));
  if (wait_ms(sign_in) > 0) return throttle(sign_in, std::move(reply));
  const User* user = context_.users.enabled(sign_in.grant.tenant, sign_in.grant.username);
  PasswordQueue::Request check;
  check.address = lib::address_key(sign_in.remote);
  check.credential =
      user ? user->credential : context_.settings.tenant(sign_in.grant.tenant)->dummy_credential;
  check.password = password;
  check.delay_ms = limits_.delay_ms(sign_in.attempt(), context_.host.mono_ns());
  check.still_wanted = [this, sign_in] { return wait_ms(sign_in) == 0; };
  if (check.delay_ms > 0) slowed_.add();
  auto shared = std::make_shared<Reply>(std::move(reply));  // because the queue may refuse the request
  const Status waits =
      passwords_.check(std::move(check), [this, sign_in, shared](const Result<bool>& matches) {
        password_checked(sign_in, matches, std::move(*shared));
      });
  if (!waits) busy(std::move(*shared));
}

void TokenRoutes::password_checked(const SignIn& sign_in, const Result<bool>& matches, Reply reply) {
  if (!matches && matches.error().code == Code::cancelled) return throttle(sign_in, std::move(reply));
  if (!matches) return busy(std::move(reply));
  if (!*matches) {
    limits_.failed(sign_in.attempt(), context_.host.mono_ns());
    return refuse(sign_in, "unknown user or wrong password", std::move(reply));
  }
  limits_.succeeded(sign_in.attempt());
  grant(sign_in, std::move(reply));
}

void TokenRoutes::busy(Reply reply) {
  busy_.add();
  reply(retry_later(503, "temporarily_unavailable", "too many sign-ins at once; try again", 1));
}

// Limits log lines per address; the metric counts all refusals.
bool TokenRoutes::may_log(const SignIn& sign_in) {
  return log_lines_.take(lib::address_key(sign_in.remote), context_.host.mono_ns()) == 0;
}

void TokenRoutes::throttle(const SignIn& sign_in, Reply reply) {
  if (may_log(sign_in))
    context_.log.with(sign_in.correlation)
        .warn(
            "sign-ins are throttled",
            {{"tenant", sign_in.grant.tenant}, {"user", sign_in.grant.username}, {"remote", sign_in.remote}});
  throttled_.add();
  const int64_t wait_sec = wait_ms(sign_in) / 1000 + 1;
  reply(retry_later(429, "rate_limited", "too many failed sign-ins; try again later", wait_sec));
}

void TokenRoutes::grant_by_refresh_token(SignIn sign_in, const Form& form, Reply reply) {
  const std::string& token = form["refresh_token"];
  if (token.empty()) return reply(http::error(400, "invalid_request", "refresh_token is missing"));
  if (wait_ms(sign_in) > 0) return throttle(sign_in, std::move(reply));
  refresh_.rotate(token, sign_in.grant.tenant, sign_in.grant.client_id,
                  [this, sign_in, reply = std::move(reply)](const Result<Rotated>& rotated) mutable {
                    if (!rotated && rotated.error().code == Code::denied) {
                      limits_.failed_at(sign_in.remote, context_.host.mono_ns());
                      return refuse(sign_in, rotated.error().text.c_str(), std::move(reply));
                    }
                    if (!rotated) return reply(rotated.error());
                    sign_in.grant = rotated->grant;
                    answer(sign_in, rotated->token, std::move(reply));
                  });
}

void TokenRoutes::grant(const SignIn& sign_in, Reply reply) {
  if (!sign_in.wants("offline_access")) return answer(sign_in, {}, std::move(reply));
  refresh_.issue(sign_in.grant,
                 [this, sign_in, reply = std::move(reply)](const Result<std::string>& token) mutable {
                   if (!token) return reply(token.error());
                   answer(sign_in, *token, std::move(reply));
                 });
}

void TokenRoutes::answer(const SignIn& sign_in, const std::string& refresh_token, Reply reply) {
  // The user may have been removed meanwhile.
  const Tenant* tenant = context_.settings.tenant(sign_in.grant.tenant);
  const User* user = context_.users.enabled(sign_in.grant.tenant, sign_in.grant.username);
  if (tenant == nullptr || user == nullptr) return refuse(sign_in, "the user was removed", std::move(reply));
  const auto access = issue_access_token(context_, *tenant, *user);
  if (!access) return reply(access.error());
  JsonWriter body;
  body.object().member("access_token", *access).member("token_type", "Bearer");
  body.member("expires_in", context_.settings.token_lifetime_sec).member("scope", sign_in.grant.scope);
  if (!refresh_token.empty()) body.member("refresh_token", refresh_token);
  if (sign_in.wants("openid")) {
    const auto id = issue_id_token(context_, *tenant, *user, sign_in.grant.client_id);
    if (!id) return reply(id.error());
    body.member("id_token", *id);
  }
  body.end();
  signed_in_.add();
  context_.log.with(sign_in.correlation)
      .info("signed in", {{"tenant", tenant->host},
                          {"user", user->name},
                          {"grant", sign_in.grant_type},
                          {"remote", sign_in.remote}});
  http::Response response = http::ok(std::move(body).str());
  response.headers.add("Pragma", "no-cache");
  reply(std::move(response));
}

void TokenRoutes::refuse(const SignIn& sign_in, const char* why, Reply reply) {
  refused_.add();
  if (may_log(sign_in))
    context_.log.with(sign_in.correlation)
        .warn("a sign-in was refused", {{"tenant", sign_in.grant.tenant},
                                        {"user", sign_in.grant.username.substr(0, kMaxUserNameBytes)},
                                        {"grant", sign_in.grant_type},
                                        {"remote", sign_in.remote},
                                        {"why", why}});
  const bool password = sign_in.grant_type == "password";
  reply(http::error(400, "invalid_grant",
                    password ? "wrong user name or password" : "the refresh token is not valid"));
}

}  // namespace patchbay::identity

#include "token_routes.h"

#include "rate/address_key.h"
#include "token_issuer.h"

namespace patchbay::identity {

struct TokenEndpoint::Asked {
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

constexpr size_t kLongestName = 128;

// What we know of the scopes that were asked for, each once, in our order.
std::string known_scopes(const std::string& asked) {
  std::string known;
  for (const char* scope : {"openid", "offline_access"}) {
    if ((" " + asked + " ").find(std::string(" ") + scope + " ") == std::string::npos) continue;
    if (!known.empty()) known += ' ';
    known += scope;
  }
  return known;
}

http::Response later(int64_t status, const char* code, const char* text, int64_t wait_sec) {
  http::Response response = http::error(status, code, text);
  response.headers = R"({"Retry-After":")" + std::to_string(wait_sec) + R"("})";
  return response;
}

Metric outcome(const Host& host, const char* name) {
  return Metric::counter(host, "patchbay_identity_sign_ins_total",
                         "Requests to the token endpoint by outcome; slowed ones count again when they end",
                         {{"outcome", name}});
}

}  // namespace

TokenEndpoint::TokenEndpoint(Context& context)
    : context_(context),
      passwords_(context.host),
      refresh_(context),
      signed_in_(outcome(context.host, "ok")),
      refused_(outcome(context.host, "refused")),
      throttled_(outcome(context.host, "throttled")),
      slowed_(outcome(context.host, "slowed")),
      busy_(outcome(context.host, "busy")) {}

int64_t TokenEndpoint::wait_ms(const Asked& asked) const {
  const int64_t now_ns = context_.host.mono_ns();
  return asked.grant_type == "password" ? limits_.wait_ms(asked.attempt(), now_ns)
                                        : limits_.wait_at_ms(asked.remote, now_ns);
}

void TokenEndpoint::add_to(http::Routes& routes) {
  http::Route route;
  route.method = "POST";
  route.path = "/oidc.ashx/token";
  route.role = "none";
  route.max_body_bytes = Form::kLongestBody;
  route.area = "oidc";
  route.summary = "Gives an access token for a password or a refresh token (RFC 6749)";
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

void TokenEndpoint::handle(const http::Request& request, Reply reply) {
  const Tenant* tenant = context_.settings.tenant(request.tenant);
  if (tenant == nullptr)
    return reply(http::error(400, "invalid_request", "no tenant is served under this host name"));
  if (request.body.view().substr(0, 1) == "{")
    return reply(
        http::error(400, "invalid_request",
                    "send a form, not JSON: grant_type=password&client_id=...&username=...&password=..."));
  const auto form = Form::parse(request.body.view());
  if (!form) return reply(http::error(400, "invalid_request", form.error().text));

  Asked asked;
  asked.grant_type = (*form)["grant_type"];
  asked.grant = {tenant->host, (*form)["username"], (*form)["client_id"], known_scopes((*form)["scope"])};
  asked.remote = request.remote;
  asked.correlation = request.correlation;
  if (asked.grant_type.empty()) return reply(http::error(400, "invalid_request", "grant_type is missing"));
  if (asked.grant_type != "password" && asked.grant_type != "refresh_token")
    return reply(http::error(400, "unsupported_grant_type", "grant_type must be password or refresh_token"));
  if (asked.grant.client_id.empty())
    return reply(http::error(400, "invalid_request", "client_id is missing"));
  if (tenant->clients.count(asked.grant.client_id) == 0)
    return reply(http::error(401, "invalid_client", "this client_id is not configured"));
  if (asked.grant_type == "password") return by_password(asked, *form, std::move(reply));
  by_refresh_token(std::move(asked), *form, std::move(reply));
}

// A user who is unknown or disabled gets the same answer as a wrong password, and as late.
void TokenEndpoint::by_password(const Asked& asked, const Form& form, Reply reply) {
  const std::string& password = form["password"];
  if (asked.grant.username.empty() || password.empty())
    return reply(http::error(400, "invalid_request", "username and password are needed"));
  if (asked.grant.username.size() > kLongestName || password.size() > kLongestPassword)
    return refuse(asked, "too long", std::move(reply));
  if (wait_ms(asked) > 0) return throttle(asked, std::move(reply));
  const User* user = context_.settings.user(asked.grant.tenant, asked.grant.username);
  PasswordQueue::Question question;
  question.address = lib::address_key(asked.remote);
  question.credential = user ? user->credential : context_.settings.tenant(asked.grant.tenant)->nobody;
  question.password = password;
  question.delay_ms = limits_.delay_ms(asked.attempt(), context_.host.mono_ns());
  question.wanted = [this, asked] { return wait_ms(asked) == 0; };
  if (question.delay_ms > 0) slowed_.add();
  auto shared = std::make_shared<Reply>(std::move(reply));  // the queue's, or ours when it is full
  const Status waits =
      passwords_.check(std::move(question), [this, asked, shared](const Result<bool>& matches) {
        password_checked(asked, matches, std::move(*shared));
      });
  if (!waits) busy(std::move(*shared));
}

void TokenEndpoint::password_checked(const Asked& asked, const Result<bool>& matches, Reply reply) {
  if (!matches && matches.error().code == Code::cancelled) return throttle(asked, std::move(reply));
  if (!matches) return busy(std::move(reply));
  if (!*matches) {
    limits_.failed(asked.attempt(), context_.host.mono_ns());
    return refuse(asked, "unknown user or wrong password", std::move(reply));
  }
  limits_.succeeded(asked.attempt());
  grant(asked, std::move(reply));
}

void TokenEndpoint::busy(Reply reply) {
  busy_.add();
  reply(later(503, "temporarily_unavailable", "too many sign-ins at once; try again", 1));
}

// A flood of requests must not become a flood of lines; the metric counts what is not logged.
bool TokenEndpoint::may_log(const Asked& asked) {
  return lines_.take(lib::address_key(asked.remote), context_.host.mono_ns()) == 0;
}

void TokenEndpoint::throttle(const Asked& asked, Reply reply) {
  if (may_log(asked))
    context_.log.with(asked.correlation)
        .warn("sign-ins are throttled",
              {{"tenant", asked.grant.tenant}, {"user", asked.grant.username}, {"remote", asked.remote}});
  throttled_.add();
  const int64_t wait_sec = wait_ms(asked) / 1000 + 1;
  reply(later(429, "rate_limited", "too many failed sign-ins; try again later", wait_sec));
}

void TokenEndpoint::by_refresh_token(Asked asked, const Form& form, Reply reply) {
  const std::string& token = form["refresh_token"];
  if (token.empty()) return reply(http::error(400, "invalid_request", "refresh_token is missing"));
  if (wait_ms(asked) > 0) return throttle(asked, std::move(reply));
  refresh_.rotate(token, asked.grant.tenant, asked.grant.client_id,
                  [this, asked, reply = std::move(reply)](const Result<Rotated>& rotated) mutable {
                    if (!rotated && rotated.error().code == Code::denied) {
                      limits_.failed_at(asked.remote, context_.host.mono_ns());
                      return refuse(asked, rotated.error().text.c_str(), std::move(reply));
                    }
                    if (!rotated) return reply(rotated.error());
                    asked.grant = rotated->grant;
                    answer(asked, rotated->token, std::move(reply));
                  });
}

void TokenEndpoint::grant(const Asked& asked, Reply reply) {
  if (!asked.wants("offline_access")) return answer(asked, {}, std::move(reply));
  refresh_.issue(asked.grant,
                 [this, asked, reply = std::move(reply)](const Result<std::string>& token) mutable {
                   if (!token) return reply(token.error());
                   answer(asked, *token, std::move(reply));
                 });
}

void TokenEndpoint::answer(const Asked& asked, const std::string& refresh_token, Reply reply) {
  // A reload may have taken the user meanwhile.
  const Tenant* tenant = context_.settings.tenant(asked.grant.tenant);
  const User* user = context_.settings.user(asked.grant.tenant, asked.grant.username);
  if (tenant == nullptr || user == nullptr) return refuse(asked, "the user is gone", std::move(reply));
  const auto access = issue_access_token(context_, *tenant, *user);
  if (!access) return reply(access.error());
  JsonWriter body;
  body.object().member("access_token", *access).member("token_type", "Bearer");
  body.member("expires_in", context_.settings.token_lifetime_sec).member("scope", asked.grant.scope);
  if (!refresh_token.empty()) body.member("refresh_token", refresh_token);
  if (asked.wants("openid")) {
    const auto id = issue_id_token(context_, *tenant, *user, asked.grant.client_id);
    if (!id) return reply(id.error());
    body.member("id_token", *id);
  }
  body.end();
  signed_in_.add();
  context_.log.with(asked.correlation)
      .info("signed in", {{"tenant", tenant->host},
                          {"user", user->name},
                          {"grant", asked.grant_type},
                          {"remote", asked.remote}});
  http::Response response = http::ok(std::move(body).str());
  response.headers = R"({"Pragma":"no-cache"})";
  reply(std::move(response));
}

void TokenEndpoint::refuse(const Asked& asked, const char* why, Reply reply) {
  refused_.add();
  if (may_log(asked))
    context_.log.with(asked.correlation)
        .warn("a sign-in was refused", {{"tenant", asked.grant.tenant},
                                        {"user", asked.grant.username.substr(0, kLongestName)},
                                        {"grant", asked.grant_type},
                                        {"remote", asked.remote},
                                        {"why", why}});
  const bool password = asked.grant_type == "password";
  reply(http::error(400, "invalid_grant",
                    password ? "wrong user name or password" : "the refresh token is not valid"));
}

}  // namespace patchbay::identity

#include "login/authorize_routes.h"

#include <patchbay/utf8.h>

#include <utility>
#include <variant>

#include "identity_limits.h"
#include "login/page_routes.h"
#include "redirect_uri.h"

namespace patchbay::identity {
namespace {

constexpr char kParameters[] = R"("response_type":{"type":"string","description":"code"},
  "client_id":{"type":"string"},
  "redirect_uri":{"type":"string","description":"One of the client's redirectUris"},
  "scope":{"type":"string","description":"openid, profile, offline_access; others are ignored"},
  "state":{"type":"string","description":"Returned as it is; at most 2048 bytes"},
  "nonce":{"type":"string","description":"Copied into the id_token; at most 512 bytes"},
  "code_challenge":{"type":"string","description":"SHA-256 of the code_verifier in base64url, as RFC 7636 says"
},
  "code_challenge_method":{"type":"string","description":"S256"},
  "response_mode":{"type":"string","description":"query"},
  "prompt":{"type":"string","description":"none, login or select_account"},
  "max_age":{"type":"string","description":"Seconds since the password was entered, at most"},
  "login_hint":{"type":"string","description":"The user name to fill in"},
  "id_token_hint":{"type":"string","description":"An id_token of the user who should be signed in"})";
constexpr char kFormParameters[] = R"(,
  "ticket":{"type":"string","description":"Of the login page; then username and password are read, and nothing else"},
  "username":{"type":"string"},"password":{"type":"string"})";
constexpr char kAuthorizeDocuments[] = R"({"replyType": "text/html", "otherTypes": ["text/html"],
  "replyHeaders": {"Content-Security-Policy": "No script, no frame, no foreign content"},
  "statuses": {"200": "The login page",
    "303": "Location is the redirect URI with code, state and iss, or with error, error_description, state and iss",
    "400": "A page: the client or its redirect URI is not known, or user name or password are wrong",
    "429": "rate_limited: a page; too many wrong passwords",
    "503": "temporarily_unavailable: a page; too many sign-ins at once"})";

constexpr PageRoutes kAuthorizePage{"/oidc.ashx/authorize",
                                    "Asks for an authorization code: a session's, or after the login page",
                                    "As GET, with a form; and the form of the login page",
                                    kParameters,
                                    kFormParameters,
                                    kAuthorizeDocuments};

}  // namespace

void AuthorizeRoutes::add_to(http::Routes& routes) {
  add_page_routes(routes, context_, kAuthorizePage,
                  [this](const Visit& visit, const Form& form, Reply reply) {
                    if (!form["ticket"].empty()) return sign_in(visit, form, std::move(reply));
                    authorize(visit, form, std::move(reply));
                  });
}

void AuthorizeRoutes::authorize(const Visit& visit, const Form& form, Reply reply) {
  auto read = read_authorization_request(form, *context_.settings.tenant(visit.tenant));
  if (const auto* fault = std::get_if<AuthorizationFault>(&read)) return reply(fault_response(visit, *fault));
  auto& asked = std::get<AuthorizationRequest>(read);
  sessions_.find(visit.tenant, visit.session_cookie,
                 alive_.bind([this, visit, asked = std::move(asked), reply = std::move(reply)](
                                 const Result<std::optional<Session>>& session) mutable {
                   if (!session) return reply(session.error());
                   with_session(visit, asked, *session, std::move(reply));
                 }));
}

void AuthorizeRoutes::with_session(const Visit& visit, const AuthorizationRequest& asked,
                                   const std::optional<Session>& session, Reply reply) {
  if (context_.settings.tenant(visit.tenant) == nullptr)
    return reply(Error{Code::unavailable, "the tenant was removed"});
  if (session && !needs_password(asked, *session, visit.tenant))
    return issue_code(visit, asked, *session, std::move(reply));
  if (asked.asks_nothing)
    return reply(fault_response(visit, {asked.redirect_uri, asked.state, "login_required",
                                        "no user has signed in with this browser"}));
  reply(login_page(visit, asked, {200, {}, asked.login_hint}));
}

bool AuthorizeRoutes::needs_password(const AuthorizationRequest& asked, const Session& session,
                                     const std::string& tenant) const {
  if (asked.asks_again) return true;
  if (asked.max_age_sec && context_.host.wall_ms() - session.signed_in_ms > *asked.max_age_sec * 1000)
    return true;
  if (asked.id_token_hint.empty()) return false;
  const auto hint = verifier_.id_claims(asked.id_token_hint);
  const User* user = context_.users.enabled(tenant, session.username);
  return !hint || user == nullptr || hint->tenant != tenant || hint->subject != user->subject;
}

void AuthorizeRoutes::sign_in(const Visit& visit, const Form& form, Reply reply) {
  const Tenant& tenant = *context_.settings.tenant(visit.tenant);
  const auto ticket = read_ticket(context_, visit.scope("login"), form["ticket"]);
  if (!ticket)
    return reply(page_response(400, notice_html("This form cannot be used any more",
                                                "Go back to the application and sign in from there. The "
                                                "browser must accept cookies of this site.")));
  auto read = read_authorization_request(ticket->fields, tenant);
  if (const auto* fault = std::get_if<AuthorizationFault>(&read)) return reply(fault_response(visit, *fault));
  auto& asked = std::get<AuthorizationRequest>(read);
  const std::string username = valid_utf8(form["username"]), password = form["password"];
  if (ticket->expired)
    return reply(
        login_page(visit, asked, {400, "This page was open for too long. Please try again.", username}));
  if (username.empty() || password.empty())
    return reply(login_page(visit, asked, {400, "Enter user name and password.", username}));
  const SignInAttempt attempt{visit.tenant, username, "login page", visit.remote, visit.correlation};
  checker_.check_password(
      attempt, password,
      alive_.bind([this, visit, asked = std::move(asked), attempt,
                   reply = std::move(reply)](const SignInChecker::Outcome& outcome) mutable {
        password_checked(visit, asked, attempt, outcome, std::move(reply));
      }));
}

void AuthorizeRoutes::password_checked(const Visit& visit, const AuthorizationRequest& asked,
                                       const SignInAttempt& attempt, const SignInChecker::Outcome& outcome,
                                       Reply reply) {
  using Outcome = SignInChecker::Result;
  if (context_.settings.tenant(visit.tenant) == nullptr)
    return reply(Error{Code::unavailable, "the tenant was removed"});
  if (outcome.result == Outcome::ok) return begin_session(visit, asked, attempt, std::move(reply));
  if (outcome.result == Outcome::refused)
    return reply(login_page(visit, asked, {400, "Wrong user name or password.", attempt.username}));
  const bool throttled = outcome.result == Outcome::throttled;
  const std::string wait =
      std::to_string(outcome.wait_sec) + (outcome.wait_sec == 1 ? " second." : " seconds.");
  http::Response response = login_page(visit, asked,
                                       {throttled ? 429 : 503,
                                        (throttled ? "Too many failed sign-ins. Please try again in "
                                                   : "Too many sign-ins at once. Please try again in ") +
                                            wait,
                                        attempt.username});
  response.headers.add("Retry-After", std::to_string(outcome.wait_sec));
  reply(std::move(response));
}

void AuthorizeRoutes::begin_session(const Visit& visit, const AuthorizationRequest& asked,
                                    const SignInAttempt& attempt, Reply reply) {
  if (context_.users.enabled(visit.tenant, attempt.username) == nullptr) {
    checker_.refused(attempt, "the user was removed");
    return reply(login_page(visit, asked, {400, "Wrong user name or password.", attempt.username}));
  }
  Transaction tx(context_.host);
  auto made = sessions_.add(tx, visit.tenant, attempt.username, visit.session_cookie);
  if (!made) return reply(made.error());
  const Grant grant{visit.tenant, attempt.username,  asked.client_id,           asked.scope,
                    {},           made->session.sid, made->session.signed_in_ms};
  auto code = codes_.add(tx, grant, {asked.redirect_uri, asked.code_challenge, asked.nonce});
  if (!code) return reply(code.error());
  std::move(tx).commit(
      alive_.bind([this, visit, attempt, cookie = made->cookie, location = code_location(visit, asked, *code),
                   reply = std::move(reply)](const Commit& commit) mutable {
        if (!commit) return reply(commit.error());
        checker_.signed_in(attempt);
        http::Response response = redirect_response(location);
        if (const Tenant* tenant = context_.settings.tenant(visit.tenant))
          response.headers.add("Set-Cookie", set_cookie(*tenant, kSessionCookie, cookie));
        reply(std::move(response));
      }));
}

void AuthorizeRoutes::issue_code(const Visit& visit, const AuthorizationRequest& asked,
                                 const Session& session, Reply reply) {
  Transaction tx(context_.host);
  const Grant grant{visit.tenant, session.username, asked.client_id,     asked.scope,
                    {},           session.sid,      session.signed_in_ms};
  auto code = codes_.add(tx, grant, {asked.redirect_uri, asked.code_challenge, asked.nonce});
  if (!code) return reply(code.error());
  std::move(tx).commit(alive_.bind([location = code_location(visit, asked, *code),
                                    reply = std::move(reply)](const Commit& commit) mutable {
    if (!commit) return reply(commit.error());
    reply(redirect_response(location));
  }));
}

http::Response AuthorizeRoutes::login_page(const Visit& visit, const AuthorizationRequest& asked,
                                           const Failed& failed) const {
  const Tenant& tenant = *context_.settings.tenant(visit.tenant);
  const Client* client = tenant.client(asked.client_id);
  LoginPage page;
  page.tenant = tenant.host;
  page.client = client != nullptr ? client->title() : asked.client_id;
  page.username = clip_utf8(failed.username, kMaxUserNameBytes);
  page.ticket = write_ticket(context_, visit.scope("login"), asked.fields());
  page.message = failed.message;
  return visit.form_response(tenant, failed.status, login_html(page), policy_source(asked.redirect_uri));
}

http::Response AuthorizeRoutes::fault_response(const Visit& visit, const AuthorizationFault& fault) const {
  const Tenant& tenant = *context_.settings.tenant(visit.tenant);
  if (fault.redirect_uri.empty())
    return page_response(400, notice_html("This sign-in does not work", fault.description));
  return redirect_response(with_parameters(fault.redirect_uri, {{"error", fault.error},
                                                                {"error_description", fault.description},
                                                                {"state", fault.state},
                                                                {"iss", tenant.issuer}}));
}

std::string AuthorizeRoutes::code_location(const Visit& visit, const AuthorizationRequest& asked,
                                           const std::string& code) const {
  const Tenant& tenant = *context_.settings.tenant(visit.tenant);
  return with_parameters(asked.redirect_uri,
                         {{"code", code}, {"state", asked.state}, {"iss", tenant.issuer}});
}

}  // namespace patchbay::identity

#include "login/logout_routes.h"

#include <patchbay/utf8.h>

#include <utility>

#include "identity_limits.h"
#include "login/page_routes.h"
#include "redirect_uri.h"

namespace patchbay::identity {
namespace {

constexpr char kLogoutParameters[] =
    R"("id_token_hint":{"type":"string","description":"An id_token of the user, expired or not; without it a page asks first"},
  "client_id":{"type":"string"},
  "post_logout_redirect_uri":{"type":"string","description":"One of the client's postLogoutRedirectUris"},
  "state":{"type":"string","description":"Returned as it is; at most 2048 bytes"},
  "logout_hint":{"type":"string","description":"Not used"},
  "ui_locales":{"type":"string","description":"Not used"})";
constexpr char kLogoutFormParameters[] = R"(,
  "ticket":{"type":"string","description":"Of the page that asks; then nothing else is read"})";
constexpr char kLogoutDocuments[] = R"({"replyType": "text/html", "otherTypes": ["text/html"],
  "replyHeaders": {"Content-Security-Policy": "No script, no frame, no foreign content"},
  "statuses": {"200": "A page that asks, or says that the user is signed out",
    "303": "Location is post_logout_redirect_uri with state",
    "400": "A page: the client is not known, or post_logout_redirect_uri is not registered for it"})";

constexpr PageRoutes kLogoutPage{
    "/oidc.ashx/logout",
    "Ends the browser's session and its tokens (OpenID Connect RP-Initiated Logout)",
    "As GET, with a form; and the form of the page that asks",
    kLogoutParameters,
    kLogoutFormParameters,
    kLogoutDocuments};

}  // namespace

void LogoutRoutes::add_to(http::Routes& routes) {
  add_page_routes(routes, context_, kLogoutPage, [this](const Visit& visit, const Form& form, Reply reply) {
    handle(visit, form, std::move(reply));
  });
}

void LogoutRoutes::handle(const Visit& visit, const Form& form, Reply reply) {
  Form fields = form;
  bool confirmed = false;
  if (!fields["ticket"].empty()) {
    auto ticket = read_ticket(context_, visit.scope("logout"), fields["ticket"]);
    if (!ticket)
      return reply(page_response(400, notice_html("This form cannot be used any more",
                                                  "Go back to the application and sign out from there. The "
                                                  "browser must accept cookies of this site.")));
    fields = std::move(ticket->fields);
    confirmed = !ticket->expired;
  }
  auto asked = read(*context_.settings.tenant(visit.tenant), fields);
  if (!asked) return reply(page_response(400, notice_html("You are not signed out", asked.error().text)));
  asked->confirmed = confirmed;
  sessions_.find(visit.tenant, visit.session_cookie,
                 alive_.bind([this, visit, asked = *std::move(asked), reply = std::move(reply)](
                                 const Result<std::optional<Session>>& session) mutable {
                   if (!session) return reply(session.error());
                   with_session(visit, asked, *session, std::move(reply));
                 }));
}

Result<LogoutRoutes::Asked> LogoutRoutes::read(const Tenant& tenant, const Form& form) const {
  Asked asked;
  if (!form["id_token_hint"].empty()) {
    auto hint = verifier_.id_claims(form["id_token_hint"]);
    if (hint && hint->tenant == tenant.host) asked.hint = *std::move(hint);
  }
  asked.client_id = form["client_id"];
  if (asked.hint && !asked.client_id.empty() && asked.client_id != asked.hint->audience)
    return {Code::invalid, "The application sent an id_token of another application (client_id)."};
  if (asked.client_id.empty() && asked.hint) asked.client_id = asked.hint->audience;
  asked.state = form["state"];
  if (asked.state.size() > kMaxStateBytes || !is_utf8(asked.state))
    return {Code::invalid, "The application sent a state that is too long or not UTF-8."};
  asked.return_to = form["post_logout_redirect_uri"];
  if (asked.return_to.empty()) return asked;
  const Client* client = tenant.client(asked.client_id);
  if (client == nullptr)
    return {Code::invalid, "The application is not known here (client_id or id_token_hint)."};
  if (!client->may_return_to(asked.return_to))
    return {Code::invalid,
            "The address to return to is not registered for this application (post_logout_redirect_uri)."};
  return asked;
}

// A hint of another user than the one who is signed in is no reason to sign that one out.
bool LogoutRoutes::may_end(const Visit& visit, const Asked& asked,
                           const std::optional<Session>& session) const {
  if (asked.confirmed) return true;
  if (!asked.hint) return false;
  if (!session) return true;
  const User* user = context_.users.enabled(visit.tenant, session->username);
  return user != nullptr && user->subject == asked.hint->subject;
}

void LogoutRoutes::with_session(const Visit& visit, const Asked& asked, const std::optional<Session>& session,
                                Reply reply) {
  if (!may_end(visit, asked, session))
    return reply(question(visit, asked, session ? session->username : std::string()));
  std::vector<std::string> sids;
  if (session) sids.push_back(session->sid);
  if (asked.hint && !asked.hint->sid.empty() && (!session || asked.hint->sid != session->sid))
    sids.push_back(asked.hint->sid);
  if (sids.empty()) return reply(done(visit, asked));
  revocation_.sessions(
      visit.tenant, sids,
      alive_.bind([this, visit, asked, session, reply = std::move(reply)](const Status& ended) mutable {
        if (!ended) return reply(ended.error());
        context_.log.with(visit.correlation)
            .info("signed out", {{"tenant", visit.tenant},
                                 {"user", session ? session->username : std::string()},
                                 {"remote", visit.remote}});
        reply(done(visit, asked));
      }));
}

http::Response LogoutRoutes::question(const Visit& visit, const Asked& asked,
                                      const std::string& username) const {
  const Tenant* tenant = context_.settings.tenant(visit.tenant);
  if (tenant == nullptr) return no_tenant_page();
  const Form fields = Form::of({{"client_id", asked.client_id},
                                {"post_logout_redirect_uri", asked.return_to},
                                {"state", asked.state}});
  LogoutPage page{tenant->host, username, write_ticket(context_, visit.scope("logout"), fields)};
  return visit.form_response(*tenant, 200, logout_html(page),
                             asked.return_to.empty() ? "" : policy_source(asked.return_to));
}

http::Response LogoutRoutes::done(const Visit& visit, const Asked& asked) const {
  const Tenant* tenant = context_.settings.tenant(visit.tenant);
  http::Response response =
      asked.return_to.empty()
          ? page_response(200,
                          notice_html("You are signed out",
                                      "You can close this page. To sign in again, open the application."))
          : redirect_response(with_parameters(asked.return_to, {{"state", asked.state}}));
  if (tenant != nullptr) response.headers.add("Set-Cookie", set_cookie(*tenant, kSessionCookie, ""));
  return response;
}

}  // namespace patchbay::identity

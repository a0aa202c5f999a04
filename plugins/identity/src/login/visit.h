// What the login page knows of a request: its tenant, and the browser by its cookies. Main strand.
#pragma once

#include <patchbay/services/http.h>

#include <string>

#include "crypto/random.h"
#include "identity_limits.h"
#include "login/cookies.h"
#include "login/pages.h"
#include "login/ticket.h"

namespace patchbay::identity {

struct Visit {
  std::string tenant;
  std::string remote;
  std::string correlation;
  std::string session_cookie;  // "": none
  std::string browser;         // value of the cookie that tickets are bound to
  bool is_new_browser = false;

  static Result<Visit> of(const http::Request& request, const Tenant& tenant) {
    const std::string_view cookies = request.headers.text("cookie");
    Visit visit{tenant.host, request.remote, request.correlation, {}, {}, false};
    visit.session_cookie = cookie_value(cookies, tenant, kSessionCookie);
    visit.browser = cookie_value(cookies, tenant, kBrowserCookie);
    visit.is_new_browser = visit.browser.empty();
    if (visit.is_new_browser) {
      PB_TRY_VALUE(visit.browser, lib::random_base62(kCookieCharacters));
    }
    return visit;
  }

  TicketScope scope(const char* purpose) const { return {purpose, tenant, browser}; }
  // A page with a form, whose ticket needs the browser's cookie. `target`: a source expression that the
  // form's response may redirect to; "": it does not.
  http::Response form_response(const Tenant& of, int64_t status, std::string html,
                               const std::string& target) const {
    http::Response response =
        page_response(status, std::move(html), target.empty() ? "'self'" : "'self' " + target);
    if (is_new_browser) response.headers.add("Set-Cookie", set_cookie(of, kBrowserCookie, browser));
    return response;
  }
};

}  // namespace patchbay::identity

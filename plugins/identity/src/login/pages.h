// The HTML of the login page, of the question at the logout and of notices. No script; one inline style,
// which the Content-Security-Policy allows by its hash. Pure; any thread.
#pragma once

#include <patchbay/services/http.h>

#include <string>
#include <string_view>

namespace patchbay::identity {

struct LoginPage {
  std::string tenant;
  std::string client;    // its title
  std::string username;  // filled in
  std::string ticket;
  std::string message;  // why the last attempt failed; "": the first one
};

struct LogoutPage {
  std::string tenant;
  std::string username;  // "": not known
  std::string ticket;
};

std::string login_html(const LoginPage& page);
std::string logout_html(const LogoutPage& page);
std::string notice_html(std::string_view heading, std::string_view text);

// A page that no other page may frame, and that loads nothing. `form_action`: of its policy, which also
// counts where the form's response redirects to.
http::Response page_response(int64_t status, std::string html, const std::string& form_action = "'none'");

// 303: the browser asks for `location` by GET.
http::Response redirect_response(const std::string& location);

}  // namespace patchbay::identity

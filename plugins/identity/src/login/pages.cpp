#include "login/pages.h"

#include <patchbay/base64.h>

#include "crypto/digest.h"
#include "text/escape_html.h"

namespace patchbay::identity {
namespace {

using lib::escape_html;

// Colours have a contrast of at least 4.5 to 1 in both schemes. Text of inputs has 16 px, below which
// telephones zoom in.
constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--page:#eef0f4;--card:#fff;--text:#1b1e24;--faint:#5a6170;--line:#8b93a3;--edge:#d9dde5;--main:#1f4fa3;--main-on:#fff;--bad:#a1182a;--bad-back:#fdecee}
@media(prefers-color-scheme:dark){:root{--page:#111317;--card:#1c1f25;--text:#e8eaee;--faint:#a3aab8;--line:#6b7384;--edge:#2c313a;--main:#8db6ff;--main-on:#0b1a33;--bad:#ffb3bb;--bad-back:#3a1b20}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;align-items:center;justify-content:center;padding:1rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
main{width:100%;max-width:24rem;padding:2rem 1.75rem;background:var(--card);border:1px solid var(--edge);border-radius:1rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
p{margin:0 0 1.25rem;color:var(--faint)}
main>:last-child{margin-bottom:0}
b{font-weight:600;color:var(--text)}
label{display:block;margin:0 0 .375rem;font-weight:600;font-size:.9375rem}
input{display:block;width:100%;margin:0 0 1.125rem;padding:.625rem .75rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.5rem}
button{display:block;width:100%;min-height:2.75rem;margin:1.5rem 0 0;padding:.625rem 1rem;font:inherit;font-weight:600;color:var(--main-on);background:var(--main);border:0;border-radius:.5rem;cursor:pointer}
button:hover{filter:brightness(1.08)}
input:focus-visible,button:focus-visible{outline:3px solid var(--main);outline-offset:2px}
.bad{padding:.625rem .75rem;color:var(--bad);background:var(--bad-back);border-radius:.5rem}
@media(max-width:30rem){body{align-items:flex-start;padding:0;background:var(--card)}main{max-width:none;border:0;border-radius:0;padding:2rem 1.25rem}}
@media(forced-colors:active){main,button{border:1px solid}}
)";

std::string page_html(std::string_view title, const std::string& content) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"robots\" content=\"noindex\">\n<link rel=\"icon\" href=\"data:,\">\n<title>";
  out.append(escape_html(title)).append("</title>\n<style>").append(kPageStyle).append("</style>\n");
  return out.append("</head>\n<body>\n<main>\n").append(content).append("</main>\n</body>\n</html>\n");
}

std::string hidden_ticket(const std::string& ticket) {
  return "<input type=\"hidden\" name=\"ticket\" value=\"" + escape_html(ticket) + "\">\n";
}

std::string page_policy(const std::string& form_action) {
  std::string hash;
  append_base64(hash, lib::sha256(kPageStyle));
  return "default-src 'none'; style-src 'sha256-" + hash + "'; img-src data:; base-uri 'none'; form-action " +
         form_action + "; frame-ancestors 'none'";
}

}  // namespace

// Relative targets, so that a reverse proxy may serve the page below another path.
std::string login_html(const LoginPage& page) {
  std::string content = "<h1>Sign in</h1>\n<p>to continue to <b dir=\"auto\">" + escape_html(page.client) +
                        "</b> at " + escape_html(page.tenant) + "</p>\n";
  if (!page.message.empty())
    content += "<p class=\"bad\" role=\"alert\" id=\"message\">" + escape_html(page.message) + "</p>\n";
  const std::string about = page.message.empty() ? "" : " aria-describedby=\"message\"";
  const std::string focus = " autofocus";
  content += "<form method=\"post\" action=\"authorize\">\n" + hidden_ticket(page.ticket);
  content +=
      "<label for=\"username\">User name</label>\n<input id=\"username\" name=\"username\" type=\"text\" "
      "value=\"" +
      escape_html(page.username) +
      "\" autocomplete=\"username\" autocapitalize=\"none\" autocorrect=\"off\" spellcheck=\"false\" "
      "maxlength=\"128\" required" +
      about + (page.username.empty() ? focus : "") + ">\n";
  content +=
      "<label for=\"password\">Password</label>\n<input id=\"password\" name=\"password\" type=\"password\" "
      "autocomplete=\"current-password\" required" +
      about + (page.username.empty() ? "" : focus) + ">\n";
  content += "<button type=\"submit\">Sign in</button>\n</form>\n";
  return page_html("Sign in - " + page.tenant, content);
}

std::string logout_html(const LogoutPage& page) {
  std::string content = "<h1>Sign out?</h1>\n<p>";
  if (page.username.empty()) {
    content += "This ends your sign-in at <b>" + escape_html(page.tenant) + "</b>.";
  } else {
    content += "You are signed in at " + escape_html(page.tenant) + " as <b dir=\"auto\">" +
               escape_html(page.username) + "</b>.";
  }
  content += "</p>\n<form method=\"post\" action=\"logout\">\n" + hidden_ticket(page.ticket);
  content += "<button type=\"submit\">Sign out</button>\n</form>\n";
  return page_html("Sign out - " + page.tenant, content);
}

std::string notice_html(std::string_view heading, std::string_view text) {
  return page_html(heading, "<h1>" + escape_html(heading) + "</h1>\n<p>" + escape_html(text) + "</p>\n");
}

http::Response page_response(int64_t status, std::string html, const std::string& form_action) {
  http::Response response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  response.body = std::move(html);
  response.headers.add("Content-Security-Policy", page_policy(form_action));
  response.headers.add("X-Frame-Options", "DENY");
  response.headers.add("Referrer-Policy", "no-referrer");
  response.headers.add("X-Robots-Tag", "noindex, nofollow");
  return response;
}

http::Response redirect_response(const std::string& location) {
  http::Response response;
  response.status = 303;
  response.headers.add("Location", location);
  response.headers.add("Referrer-Policy", "no-referrer");
  return response;
}

}  // namespace patchbay::identity

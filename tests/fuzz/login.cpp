// The login page's input, a line each: the header Cookie, a redirect URI and an authorization request. What
// is accepted can stand in a header and a policy, and a redirect goes to a registered address only.
#include <patchbay/services/http_rules.h>
#include <patchbay/text.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "login/authorization_request.h"
#include "login/cookies.h"
#include "redirect_uri.h"

using namespace patchbay;
using namespace patchbay::identity;

namespace {

constexpr char kWeb[] = "https://a.example/cb?x=1", kNative[] = "http://127.0.0.1/native";

void expect(bool holds) {
  if (!holds) std::abort();
}

const Tenant& tenant() {
  static const Tenant one = [] {
    Tenant made;
    made.issuer = "http://a.example";
    made.clients["c"] = Client{"c", "", {kWeb, kNative}, {}};
    return made;
  }();
  return one;
}

void check_cookie(std::string_view header) {
  const std::string value = cookie_value(header, tenant(), kSessionCookie);
  expect(value.empty() || (value.size() == 43 && std::all_of(value.begin(), value.end(), is_alphanumeric)));
}

void check_uri(std::string_view uri) {
  if (!check_redirect_uri(uri)) return;
  expect(policy_source(uri).find_first_of(";, '\"*\t") == std::string::npos);
  expect(http::is_header("Location", with_parameters(uri, {{"state", uri}})));
  expect(matches_redirect_uri(uri, uri));
}

bool is_registered(const std::string& uri) {
  return uri == kWeb || (uri.rfind("http://127.0.0.1", 0) == 0 && uri.size() <= sizeof kNative + 6 &&
                         uri.substr(uri.size() - 7) == "/native");
}

void check_request(std::string_view query) {
  const auto form = Form::parse(query);
  if (!form) return;
  const auto read = read_authorization_request(*form, tenant());
  if (const auto* fault = std::get_if<AuthorizationFault>(&read)) {
    expect(fault->redirect_uri.empty() || is_registered(fault->redirect_uri));
    return;
  }
  const auto& asked = std::get<AuthorizationRequest>(read);
  expect(asked.client_id == "c" && is_registered(asked.redirect_uri) && asked.code_challenge.size() == 43);
  const auto again = read_authorization_request(asked.fields(), tenant());
  expect(std::holds_alternative<AuthorizationRequest>(again));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_cookie(take_until('\n', text));
  check_uri(take_until('\n', text));
  check_request(text);
  return 0;
}

#include "login/authorization_request.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::identity;

namespace {

Tenant tenant_with_client() {
  Tenant tenant;
  tenant.clients["c"] = Client{"c", "", {"https://a.example/cb"}, {}};
  return tenant;
}

NameValues complete_request() {
  return {{"response_type", "code"},
          {"client_id", "c"},
          {"redirect_uri", "https://a.example/cb"},
          {"code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"},
          {"code_challenge_method", "S256"}};
}

AuthorizationRequest read_request(NameValues more) {
  for (const auto& [name, value] : complete_request()) more.add(name, value);
  auto result = read_authorization_request(Form::of(more), tenant_with_client());
  REQUIRE(std::holds_alternative<AuthorizationRequest>(result));
  return std::get<AuthorizationRequest>(result);
}

}  // namespace

TEST_CASE("prompt and max_age say whether the password is asked for") {
  CHECK_FALSE(read_request({}).asks_again);
  CHECK(read_request({{"prompt", "login"}}).asks_again);
  CHECK(read_request({{"prompt", "consent login"}}).asks_again);
  CHECK(read_request({{"prompt", "none"}}).asks_nothing);
  CHECK_FALSE(read_request({{"prompt", "loginx"}}).asks_again);
  CHECK(read_request({{"max_age", "0"}}).asks_again);
  CHECK(read_request({{"max_age", "60"}}).max_age_sec == 60);
  CHECK_FALSE(read_request({}).max_age_sec);
}

TEST_CASE("a ticket keeps what the code is bound to, and not what the page was opened with") {
  const AuthorizationRequest asked = read_request(
      {{"state", "s"}, {"nonce", "n"}, {"scope", "x openid"}, {"prompt", "login"}, {"login_hint", "alice"}});
  CHECK(asked.scope == "openid");
  CHECK(asked.login_hint == "alice");
  const auto kept = read_authorization_request(asked.fields(), tenant_with_client());
  REQUIRE(std::holds_alternative<AuthorizationRequest>(kept));
  const auto& again = std::get<AuthorizationRequest>(kept);
  CHECK(again.state == "s");
  CHECK(again.nonce == "n");
  CHECK(again.scope == "openid");
  CHECK(again.code_challenge == asked.code_challenge);
  CHECK_FALSE(again.asks_again);
}

TEST_CASE("a login_hint longer than any user name is left out") {
  CHECK(read_request({{"login_hint", std::string(129, 'x')}}).login_hint == "");
}

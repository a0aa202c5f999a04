// POST /oidc.ashx/revoke.
#include "plugins/identity/login/browser.h"

using namespace identity_test;

namespace {

std::string ask_revoke(const std::string& token, const std::string& client = "patchbay-admin",
                       const std::string& tenant = kTenantA) {
  const auto response = probe::ask("POST", "/oidc.ashx/revoke",
                                   post(form_of({{"token", token}, {"client_id", client}}), tenant));
  REQUIRE(response);
  return response->status == 200 ? response->body : error_of(*response);
}

}  // namespace

TEST_CASE("a revoked access token ends at once, and for good") {
  LoginServer server;
  const Tokens tokens = sign_in(), other = sign_in();
  CHECK(probe::verify(tokens.access));
  CHECK(ask_revoke(tokens.access, "portal") == "400 invalid_grant");
  CHECK(probe::verify(tokens.access));
  CHECK(ask_revoke(tokens.access) == "{}");
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(ask_revoke(tokens.access) == "{}");
  CHECK(probe::verify(other.access));
  server.core.restart();
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(probe::verify(other.access));
}

TEST_CASE("a revoked refresh token ends its grant, with its access tokens") {
  LoginServer server;
  const Tokens first = sign_in(kAlice + "&scope=offline_access");
  const Tokens second = tokens_of(refresh(first.refresh));
  CHECK(ask_revoke(second.refresh, "portal") == "400 invalid_grant");
  CHECK(ask_revoke(first.refresh) == "{}");  // used already, but of the grant
  CHECK(error_of(refresh(second.refresh)) == "400 invalid_grant");
  CHECK_FALSE(probe::verify(first.access));
  CHECK_FALSE(probe::verify(second.access));
  CHECK(probe::verify(sign_in().access));
}

TEST_CASE("an unknown token is no error, and a wrong request is one") {
  LoginServer server;
  for (const char* token : {"rt_x", "x", "a.b.c", "..."}) CHECK(ask_revoke(token) == "{}");
  CHECK(ask_revoke("", "patchbay-admin") == "400 invalid_request");
  CHECK(ask_revoke("x", "") == "400 invalid_request");
  CHECK(ask_revoke("x", "unknown") == "401 invalid_client");
  CHECK(ask_revoke("x", "patchbay-admin", "c.example") == "400 invalid_request");
  CHECK(ask_revoke("ak_" + std::string(43, 'A')) == "400 unsupported_token_type");
  const Tokens tokens = sign_in();
  CHECK(ask_revoke(tokens.access, "other", kTenantB) == "{}");  // of another tenant
  CHECK(probe::verify(tokens.access));
}

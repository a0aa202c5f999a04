// /oidc.ashx/userinfo.
#include "plugins/identity/user_requests.h"

using namespace identity_test;

TEST_CASE("userinfo has the claims of the bearer's user") {
  UserServer server;
  ask("POST", "", R"({"username":"dora","displayName":"Dora M.","password":"dora's secret"})");
  const auto principal = probe::verify(sign_in_as("dora", "dora's secret").access);
  REQUIRE(principal);
  for (const char* method : {"GET", "POST"}) {
    for (const char* tenant : {kTenantA, kTenantB}) {  // a super-admin may name another one
      http::Request request;
      request.tenant = tenant;
      request.subject = principal->subject;
      const auto response = probe::ask(method, "/oidc.ashx/userinfo", request);
      REQUIRE(response);
      const auto body = json_without_host(response->body);
      REQUIRE(body);
      CHECK((*body)["sub"].text() == principal->subject);
      CHECK((*body)["preferred_username"].text() == "dora");
      CHECK((*body)["name"].text() == "Dora M.");
      CHECK((*body)["role"].text() == "user");
      CHECK((*body)["tenant"].text() == kTenantA);
    }
  }
  http::Request unknown;
  unknown.tenant = kTenantA;
  unknown.subject = "unknown";
  const auto refused = probe::ask("GET", "/oidc.ashx/userinfo", unknown);
  REQUIRE(refused);
  CHECK(error_of(*refused) == "401 invalid_token");
  CHECK(refused->headers.has("WWW-Authenticate"));
}

#include "discovery_routes.h"

#include <doctest/doctest.h>

#include "support/json_without_host.h"

TEST_CASE("the discovery document has the configured issuer and the endpoints below it") {
  const auto document = json_without_host(patchbay::identity::discovery_document("https://a.example"));
  REQUIRE(document);
  const auto root = document->root();
  CHECK(root.text("issuer", "") == "https://a.example");
  CHECK(root.text("token_endpoint", "") == "https://a.example/oidc.ashx/token");
  CHECK(root.text("authorization_endpoint", "") == "https://a.example/oidc.ashx/authorize");
  CHECK(root.text("userinfo_endpoint", "") == "https://a.example/oidc.ashx/userinfo");
  CHECK(root.text("revocation_endpoint", "") == "https://a.example/oidc.ashx/revoke");
  CHECK(root.text("end_session_endpoint", "") == "https://a.example/oidc.ashx/logout");
  CHECK(root["response_types_supported"].at(0).text() == "code");
  CHECK(root["code_challenge_methods_supported"].at(0).text() == "S256");
  CHECK(root.boolean("authorization_response_iss_parameter_supported", false));
  CHECK_FALSE(root.boolean("request_uri_parameter_supported", true));
  CHECK(root.text("jwks_uri", "") == "https://a.example/oidc.ashx/jwks");
  CHECK(root["id_token_signing_alg_values_supported"].at(0).text() == "ES256");
}

// Authorization codes at the token endpoint.
#include <future>
#include <vector>

#include "plugins/identity/login/browser.h"

using namespace identity_test;

TEST_CASE("a code is bound to client, redirect URI and verifier") {
  LoginServer server;
  Browser browser;
  const std::string code = browser.sign_in().sent("code");
  CHECK(error_of(exchange(code, {{"code", ""}})) == "400 invalid_request");
  CHECK(error_of(exchange(code, {{"redirect_uri", ""}})) == "400 invalid_request");
  CHECK(error_of(exchange(code, {{"code_verifier", ""}})) == "400 invalid_request");
  CHECK(error_of(exchange(code, {{"client_id", "unknown"}})) == "401 invalid_client");
  CHECK(error_of(exchange("x")) == "400 invalid_grant");
  CHECK(error_of(exchange(code, {{"client_id", "wiki"}})) == "400 invalid_grant");
  CHECK(error_of(exchange(code, {{"redirect_uri", "http://127.0.0.1/native"}})) == "400 invalid_grant");
  CHECK(error_of(exchange(code, {{"code_verifier", std::string(43, 'a')}})) == "400 invalid_grant");
  CHECK(error_of(exchange(code, {{"code_verifier", kChallenge}})) == "400 invalid_grant");
  CHECK(exchange(code).status == 200);
}

TEST_CASE("a second use of a code revokes the tokens of the first") {
  LoginServer server;
  Browser browser;
  const std::string code = browser.sign_in().sent("code");
  const Tokens tokens = tokens_of(exchange(code));
  const Tokens other = tokens_of(exchange(browser.get(kAuthorize, authorization()).sent("code")));
  CHECK(probe::verify(tokens.access));
  CHECK(error_of(exchange(code)) == "400 invalid_grant");
  CHECK(error_of(refresh(tokens.refresh, "&client_id=portal")) == "400 invalid_grant");
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(probe::verify(other.access));
  CHECK(refresh(other.refresh, "&client_id=portal").status == 200);
  server.core.restart();
  CHECK_FALSE(probe::verify(tokens.access));
}

TEST_CASE("a code expires after a minute") {
  LoginServer server;
  Browser browser;
  const std::string code = browser.sign_in().sent("code");
  server.clock.advance(std::chrono::seconds(60));
  CHECK(error_of(exchange(code)) == "400 invalid_grant");
}

TEST_CASE("of many uses of one code at once at most one gets tokens") {
  LoginServer server;
  Browser browser;
  const std::string code = browser.sign_in().sent("code");
  const std::string form = form_of({{"grant_type", "authorization_code"},
                                    {"client_id", "portal"},
                                    {"code", code},
                                    {"redirect_uri", "https://portal.example/cb"},
                                    {"code_verifier", kVerifier}});
  std::vector<std::future<Result<http::Response>>> answers;
  for (int i = 0; i < 20; ++i) answers.push_back(probe::begin("POST", "/oidc.ashx/token", post(form)));
  int successes = 0;
  for (auto& answer : answers) {
    const auto response = probe::wait(std::move(answer));
    REQUIRE(response);
    successes += response->status == 200 ? 1 : 0;
  }
  CHECK(successes <= 1);
}

TEST_CASE("codes and sessions of one user are limited in number") {
  LoginServer server;
  Browser browser;
  const std::string first = browser.sign_in().sent("code");
  std::string last;
  for (int i = 0; i < 100; ++i) {
    server.clock.advance(std::chrono::milliseconds(1));
    last = browser.get(kAuthorize, authorization()).sent("code");
  }
  CHECK(error_of(exchange(first)) == "400 invalid_grant");
  CHECK(exchange(last).status == 200);
}

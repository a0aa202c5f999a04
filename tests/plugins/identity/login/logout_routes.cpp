// Logout that a client starts.
#include "plugins/identity/login/browser.h"

using namespace identity_test;

namespace {

constexpr char kReturn[] = "https://portal.example/bye";

}  // namespace

TEST_CASE("a logout with an id_token ends the session and all its tokens, and returns to the client") {
  LoginServer server;
  Browser browser;
  const Tokens tokens = tokens_of(exchange(browser.sign_in().sent("code")));
  const Tokens other = tokens_of(exchange(browser.get(kAuthorize, authorization()).sent("code")));
  const Page out = browser.get(
      kLogout, {{"id_token_hint", tokens.id}, {"post_logout_redirect_uri", kReturn}, {"state", "a b"}});
  CHECK(out.status() == 303);
  CHECK(out.location() == std::string(kReturn) + "?state=a%20b");
  CHECK(browser.cookies.count("__Host-patchbay-session") == 0);
  for (const Tokens& ended : {tokens, other}) {
    CHECK_FALSE(probe::verify(ended.access));
    CHECK(error_of(refresh(ended.refresh, "&client_id=portal")) == "400 invalid_grant");
  }
  CHECK(browser.get(kAuthorize, authorization()).status() == 200);
}

TEST_CASE("an expired id_token of a browser without cookies ends its session") {
  LoginServer server;
  Browser browser;
  const Tokens tokens = tokens_of(exchange(browser.sign_in().sent("code")));
  server.clock.advance(std::chrono::hours(2));
  const Page out = Browser().post(kLogout, {{"id_token_hint", tokens.id}});
  CHECK(out.status() == 200);
  CHECK(out.has("You are signed out"));
  CHECK(browser.get(kAuthorize, authorization()).status() == 200);
  CHECK(error_of(refresh(tokens.refresh, "&client_id=portal")) == "400 invalid_grant");
}

TEST_CASE("without a valid hint a page asks before the session ends") {
  LoginServer server;
  Browser browser, other("192.0.2.8");
  browser.sign_in();
  const Tokens bob = tokens_of(exchange(other.sign_in("bob", "bob's").sent("code")));
  for (const std::string& hint : {std::string(), std::string("x.y.z"), bob.access, bob.id}) {
    const Page asks = browser.get(kLogout, {{"id_token_hint", hint}});
    CHECK(asks.status() == 200);
    CHECK(asks.has("Sign out?"));
    CHECK(asks.has("alice"));
    CHECK(browser.get(kAuthorize, authorization()).status() == 303);
  }
  const Page asks =
      browser.get(kLogout, {{"client_id", "portal"}, {"post_logout_redirect_uri", kReturn}, {"state", "x"}});
  CHECK(asks.header("Content-Security-Policy").find("form-action 'self' https://portal.example;") !=
        std::string::npos);
  CHECK(other.post(kLogout, {{"ticket", asks.ticket()}}).status() == 400);
  const Page out = browser.post(kLogout, {{"ticket", asks.ticket()}});
  CHECK(out.location() == std::string(kReturn) + "?state=x");
  CHECK(browser.get(kAuthorize, authorization()).status() == 200);
}

TEST_CASE("an expired question is asked again") {
  LoginServer server;
  Browser browser;
  browser.sign_in();
  const Page asks = browser.get(kLogout, {});
  server.clock.advance(std::chrono::minutes(10));
  CHECK(browser.post(kLogout, {{"ticket", asks.ticket()}}).has("Sign out?"));
  CHECK(browser.get(kAuthorize, authorization()).status() == 303);
}

TEST_CASE("a logout returns to registered addresses of the client only") {
  LoginServer server;
  Browser browser;
  const Tokens tokens = tokens_of(exchange(browser.sign_in().sent("code")));
  const std::vector<Fields> faults = {
      {{"post_logout_redirect_uri", kReturn}},
      {{"post_logout_redirect_uri", kReturn}, {"client_id", "unknown"}},
      {{"post_logout_redirect_uri", kReturn}, {"client_id", "wiki"}},
      {{"post_logout_redirect_uri", kReturn}, {"client_id", "wiki"}, {"id_token_hint", tokens.id}},
      {{"post_logout_redirect_uri", "https://portal.example/bye/"}, {"id_token_hint", tokens.id}},
      {{"post_logout_redirect_uri", "https://portal.example/cb"}, {"id_token_hint", tokens.id}},
      {{"state", std::string(2049, 'x')}}};
  for (const Fields& fault : faults) {
    const Page page = browser.get(kLogout, fault);
    CHECK(page.status() == 400);
    CHECK(page.location() == "");
  }
  CHECK(browser.get(kAuthorize, authorization()).status() == 303);
  CHECK(Browser("192.0.2.7", "c.example").get(kLogout, {}).status() == 400);
  CHECK(browser.post(kLogout, {{"ticket", "x"}}).status() == 400);
}

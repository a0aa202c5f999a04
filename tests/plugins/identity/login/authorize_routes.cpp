// The authorization endpoint and its login page.
#include "plugins/identity/login/browser.h"

using namespace identity_test;

TEST_CASE("a user signs in at the login page, and the client exchanges the code for tokens") {
  LoginServer server;
  Browser browser;
  const Page page = browser.get(kAuthorize, authorization());
  CHECK(page.status() == 200);
  CHECK(page.response.content_type == "text/html; charset=utf-8");
  CHECK(page.has("Customer portal"));
  const Page sent = browser.submit(page, "alice", "alice's");
  CHECK(sent.status() == 303);
  CHECK(sent.location().rfind("https://portal.example/cb?code=", 0) == 0);
  CHECK(sent.sent("state") == "s t&a=te");
  CHECK(sent.sent("iss") == "https://a.example");
  const Tokens tokens = tokens_of(exchange(sent.sent("code")));
  CHECK(probe::verify(tokens.access)->username == "alice");
  CHECK(tokens.refresh != "");
  CHECK(claim(tokens.id, "nonce") == "n-1");
  CHECK(claim(tokens.id, "aud") == "portal");
  CHECK(claim(tokens.id, "role") == "admin");
  CHECK(claim(tokens.id, "name") == "alice");
  CHECK(claim(tokens.id, "at_hash").size() == 22);
  CHECK(claim(tokens.id, "sid").size() == 32);
  CHECK(claims_of(tokens.id).find("\"auth_time\":") != std::string::npos);
  CHECK(claim(tokens.access, "client_id") == "portal");
  CHECK_FALSE(probe::verify(tokens.id));
  const Tokens next = tokens_of(refresh(tokens.refresh, "&client_id=portal"));
  CHECK(claim(next.id, "sid") == claim(tokens.id, "sid"));
  CHECK(claim(next.id, "nonce") == "");
}

TEST_CASE("users without a role of admin sign in, too") {
  LoginServer server;
  Browser browser;
  const Tokens tokens =
      tokens_of(exchange(browser.sign_in("bob", "bob's", {{"scope", "profile"}}).sent("code")));
  CHECK(probe::verify(tokens.access)->role == "user");
  CHECK(tokens.id == "");
  CHECK(tokens.refresh == "");
}

TEST_CASE("the login page loads nothing, cannot be framed, and its form may redirect to the client only") {
  LoginServer server;
  Browser browser;
  const Page page = browser.get(kAuthorize, authorization());
  const std::string policy = page.header("Content-Security-Policy");
  CHECK(policy.find("default-src 'none'") == 0);
  CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
  CHECK(policy.find("form-action 'self' https://portal.example;") != std::string::npos);
  CHECK(policy.find("unsafe") == std::string::npos);
  CHECK(page.header("X-Frame-Options") == "DENY");
  CHECK(page.header("Referrer-Policy") == "no-referrer");
  CHECK_FALSE(page.has("<script"));
  CHECK_FALSE(page.has("style=\""));
  const std::string cookie = page.header("Set-Cookie");
  CHECK(cookie.rfind("__Host-patchbay-browser=", 0) == 0);
  for (const char* attribute : {"; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax"})
    CHECK(cookie.find(attribute) != std::string::npos);
}

TEST_CASE("errors of the client and its redirect URI are shown, and not redirected") {
  LoginServer server;
  Browser browser;
  const std::vector<Fields> faults = {{{"client_id", ""}},
                                      {{"client_id", "unknown"}},
                                      {{"client_id", "patchbay-admin"}},
                                      {{"redirect_uri", ""}},
                                      {{"redirect_uri", "https://portal.example/cb/"}},
                                      {{"redirect_uri", "https://portal.example/cb?x=1"}},
                                      {{"redirect_uri", "https://portal.example.evil.example/cb"}},
                                      {{"redirect_uri", "http://portal.example/cb"}},
                                      {{"redirect_uri", "http://127.0.0.2/native"}},
                                      {{"redirect_uri", "javascript:alert(1)"}}};
  for (const Fields& fault : faults) {
    CAPTURE(fault.begin()->second);
    for (const Page& page :
         {browser.get(kAuthorize, authorization(fault)), browser.post(kAuthorize, authorization(fault))}) {
      CHECK(page.status() == 400);
      CHECK(page.location() == "");
      CHECK(page.header("Content-Security-Policy").find("form-action 'none'") != std::string::npos);
    }
  }
  CHECK(Browser("192.0.2.7", "c.example").get(kAuthorize, authorization()).status() == 400);
}

TEST_CASE("a native application gets its code at any port of the loopback address") {
  LoginServer server;
  Browser browser;
  const Page page =
      browser.get(kAuthorize, authorization({{"redirect_uri", "http://127.0.0.1:51004/native"}}));
  CHECK(page.status() == 200);
  CHECK(page.header("Content-Security-Policy").find("form-action 'self' http://127.0.0.1:51004;") !=
        std::string::npos);
  const Page sent = browser.submit(page, "alice", "alice's");
  CHECK(sent.location().rfind("http://127.0.0.1:51004/native?code=", 0) == 0);
  CHECK(exchange(sent.sent("code"), {{"redirect_uri", "http://127.0.0.1:51004/native"}}).status == 200);
}

TEST_CASE("other errors are sent to the client with state and issuer") {
  LoginServer server;
  Browser browser;
  const auto error = [&](const Fields& changes) {
    const Page page = browser.get(kAuthorize, authorization(changes));
    CHECK(page.status() == 303);
    CHECK(page.sent("iss") == "https://a.example");
    CHECK(page.sent("code") == "");
    CHECK(page.sent("state") == (changes.count("state") != 0 ? "" : "s t&a=te"));
    return page.sent("error");
  };
  CHECK(error({{"response_type", ""}}) == "invalid_request");
  CHECK(error({{"response_type", "token"}}) == "unsupported_response_type");
  CHECK(error({{"response_type", "code id_token"}}) == "unsupported_response_type");
  CHECK(error({{"response_mode", "fragment"}}) == "invalid_request");
  CHECK(error({{"code_challenge", ""}}) == "invalid_request");
  CHECK(error({{"code_challenge", "short"}}) == "invalid_request");
  CHECK(error({{"code_challenge_method", ""}}) == "invalid_request");
  CHECK(error({{"code_challenge_method", "plain"}}) == "invalid_request");
  CHECK(error({{"max_age", "-1"}}) == "invalid_request");
  CHECK(error({{"nonce", std::string(513, 'x')}}) == "invalid_request");
  CHECK(error({{"nonce", "\xff"}}) == "invalid_request");
  CHECK(error({{"state", std::string(2049, 'x')}}) == "invalid_request");
  CHECK(error({{"prompt", "none login"}}) == "invalid_request");
  CHECK(error({{"prompt", "none"}}) == "login_required");
  CHECK(error({{"request", "x"}}) == "request_not_supported");
  CHECK(error({{"request_uri", "https://x.example"}}) == "request_uri_not_supported");
  CHECK(error({{"registration", "{}"}}) == "registration_not_supported");
  const Page wiki = browser.get(kAuthorize, authorization({{"client_id", "wiki"},
                                                           {"redirect_uri", "https://wiki.example/cb?x=1"},
                                                           {"response_type", "x"}}));
  CHECK(wiki.location().rfind("https://wiki.example/cb?x=1&error=unsupported_response_type&", 0) == 0);
}

TEST_CASE("a session needs no password again, unless the client asks for it") {
  LoginServer server;
  Browser browser;
  CHECK(browser.sign_in().status() == 303);
  CHECK(browser.cookies.count("__Host-patchbay-session") == 1);
  const auto status = [&](const Fields& changes) {
    return browser.get(kAuthorize, authorization(changes)).status();
  };
  const Page other = browser.get(
      kAuthorize, authorization({{"client_id", "wiki"}, {"redirect_uri", "https://wiki.example/cb?x=1"}}));
  CHECK(other.status() == 303);
  CHECK(exchange(other.sent("code"), {{"client_id", "wiki"}, {"redirect_uri", "https://wiki.example/cb?x=1"}})
            .status == 200);
  CHECK(browser.get(kAuthorize, authorization({{"prompt", "none"}})).sent("code") != "");
  CHECK(status({{"prompt", "login"}}) == 200);
  CHECK(status({{"prompt", "select_account"}}) == 200);
  CHECK(status({{"prompt", "consent"}}) == 303);
  CHECK(status({{"max_age", "60"}}) == 303);
  CHECK(status({{"max_age", "0"}}) == 200);
  server.clock.advance(std::chrono::seconds(61));
  CHECK(status({{"max_age", "60"}}) == 200);
  CHECK(browser.get(kAuthorize, authorization({{"max_age", "60"}, {"prompt", "none"}})).sent("error") ==
        "login_required");
  CHECK(Browser().get(kAuthorize, authorization()).status() == 200);  // without the cookie
  server.clock.advance(std::chrono::hours(12));
  CHECK(status({}) == 200);
}

TEST_CASE("an id_token_hint of another user asks for the password") {
  LoginServer server;
  Browser browser, other("192.0.2.8");
  const Tokens alice = tokens_of(exchange(browser.sign_in().sent("code")));
  const Tokens bob = tokens_of(exchange(other.sign_in("bob", "bob's").sent("code")));
  const auto error = [&](const std::string& hint) {
    return browser.get(kAuthorize, authorization({{"prompt", "none"}, {"id_token_hint", hint}}))
        .sent("error");
  };
  CHECK(error(alice.id) == "");
  CHECK(error(bob.id) == "login_required");
  CHECK(error(alice.access) == "login_required");
  CHECK(error("nonsense") == "login_required");
}

TEST_CASE("a session ends with the user's tokens") {
  LoginServer server;
  Browser browser;
  const std::string code = browser.sign_in().sent("code");
  CHECK(browser.get(kAuthorize, authorization()).status() == 303);
  const auto ended = probe::ask("POST", "/api.ashx/v1/admin/users/{username}/end-sessions",
                                as_alice("", {{"username", "alice"}}));
  REQUIRE(ended);
  CHECK(ended->status == 200);
  CHECK(browser.get(kAuthorize, authorization()).status() == 200);
  CHECK(error_of(exchange(code)) == "400 invalid_grant");
}

TEST_CASE("another role or password, disabling and removal end a session") {
  LoginServer server;
  const std::string user = "/api.ashx/v1/admin/users", named = user + "/{username}";
  struct Change {
    const char* method;
    std::string path, body;
  };
  const std::vector<Change> changes = {{"PATCH", named, R"({"role":"admin"})"},
                                       {"POST", named + "/password", R"({"password":"another one"})"},
                                       {"PATCH", named, R"({"disabled":true})"},
                                       {"DELETE", named, ""}};
  for (const Change& change : changes) {
    CAPTURE(change.body);
    const auto made = probe::ask("POST", user, as_alice(R"({"username":"dora","password":"dora's secret"})"));
    REQUIRE(made);
    CHECK(made->status == 201);
    Browser browser;
    CHECK(browser.sign_in("dora", "dora's secret").status() == 303);
    CHECK(browser.get(kAuthorize, authorization()).status() == 303);
    const auto changed =
        probe::ask(change.method, change.path, as_alice(change.body, {{"username", "dora"}}));
    REQUIRE(changed);
    CHECK(changed->status == 200);
    CHECK(browser.get(kAuthorize, authorization()).status() == 200);
    if (change.method != std::string("DELETE"))
      CHECK(probe::ask("DELETE", named, as_alice("", {{"username", "dora"}}))->status == 200);
  }
}

TEST_CASE("the form needs its ticket and the browser that it was shown to") {
  LoginServer server;
  Browser browser, attacker("192.0.2.8");
  const Page page = browser.get(kAuthorize, authorization());
  const Page foreign = attacker.get(kAuthorize, authorization());
  CHECK(browser.submit(foreign, "alice", "alice's").status() == 400);
  CHECK(browser.post(kAuthorize, {{"ticket", "x.y"}, {"username", "alice"}, {"password", "alice's"}})
            .status() == 400);
  CHECK(
      browser
          .post(kAuthorize, {{"ticket", page.ticket() + "A"}, {"username", "alice"}, {"password", "alice's"}})
          .status() == 400);
  CHECK(Browser().submit(page, "alice", "alice's").status() == 400);  // without the cookie
  CHECK(browser.cookies.count("__Host-patchbay-session") == 0);
  CHECK(browser.submit(page, "alice", "alice's").status() == 303);
}

TEST_CASE("an expired ticket shows the form again, with the user name") {
  LoginServer server;
  Browser browser;
  const Page page = browser.get(kAuthorize, authorization());
  server.clock.advance(std::chrono::minutes(10));
  const Page again = browser.submit(page, "alice", "alice's");
  CHECK(again.status() == 400);
  CHECK(again.has("open for too long"));
  CHECK(again.value("id=\"username\"") == "alice");
  CHECK(browser.submit(again, "alice", "alice's").status() == 303);
}

TEST_CASE("a wrong user and a wrong password get the same page") {
  LoginServer server;
  Browser browser;
  const auto page = [&](const std::string& username) {
    Page answer = browser.submit(browser.get(kAuthorize, authorization()), username, "wrong");
    CHECK(answer.status() == 400);
    std::string body = answer.response.body;
    for (const std::string& part : {answer.ticket(), username})
      for (size_t at = body.find(part); at != std::string::npos; at = body.find(part))
        body.erase(at, part.size());
    return body;
  };
  CHECK(page("alice") == page("nobody"));
  CHECK(page("alice").find("Wrong user name or password.") != std::string::npos);
  CHECK(browser.submit(browser.get(kAuthorize, authorization()), "", "x").status() == 400);
  CHECK(browser.submit(browser.get(kAuthorize, authorization()), "alice", "").status() == 400);
}

TEST_CASE("what a user or a client wrote is escaped on the page") {
  LoginServer server;
  Browser browser;
  const std::string name = "\"><script>alert(1)</script>";
  const Page hinted = browser.get(kAuthorize, authorization({{"login_hint", name}}));
  CHECK_FALSE(hinted.has("<script"));
  CHECK(hinted.value("id=\"username\"").find("&lt;script&gt;") != std::string::npos);
  CHECK_FALSE(browser.submit(hinted, name, "wrong").has("<script"));
}

TEST_CASE("the limits on passwords are those of the token endpoint") {
  LoginServer server;
  Browser browser;
  for (int i = 0; i < 10; ++i) CHECK(browser.sign_in("alice", "wrong").status() == 400);
  const Page throttled = browser.sign_in();
  CHECK(throttled.status() == 429);
  CHECK(throttled.header("Retry-After") != "");
  CHECK(throttled.has("Too many failed sign-ins"));
  CHECK(error_of(token_response(post(kAlice))) == "429 rate_limited");
  server.clock.advance(std::chrono::seconds(61));
  CHECK(browser.sign_in().status() == 303);
}

TEST_CASE("cookies and codes are stored as hashes, and are not in the log") {
  LoginServer server;
  Browser browser;
  const Page sent = browser.sign_in();
  const Tokens tokens = tokens_of(exchange(sent.sent("code")));
  const std::string stored = server.core.log();
  for (const std::string& secret : {sent.sent("code"), browser.cookies["__Host-patchbay-session"],
                                    tokens.access, tokens.refresh, tokens.id})
    CHECK(stored.find(secret) == std::string::npos);
}

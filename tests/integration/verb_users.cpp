// `patchbay user` and `patchbay signing-key`: what the verbs change is tried by signing in over HTTP.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>

#include "integration/verb_server.h"
#include "support/http_client.h"

using namespace patchbay;
using test::HttpAnswer;
using test::HttpClient;
using test::kPatience;
using test::Said;
using test::VerbServer;

namespace {

constexpr const char* kTenantHost = "Host: one.example";

std::string between(const std::string& text, const std::string& start, char end) {
  const size_t at = text.find(start);
  if (at == std::string::npos) return {};
  const size_t from = at + start.size();
  return text.substr(from, text.find(end, from) - from);
}

// Someone who signs in as dora and reads the calls.
class SignedIn {
 public:
  explicit SignedIn(const VerbServer& server)
      : http_("http://" + between(test::read_text(server.program.folder.file("data/listening.json")),
                                  R"("public":")", '"')) {}

  long sign_in(const std::string& password) {
    const HttpAnswer answer = http_.post(
        "/oidc.ashx/token",
        "grant_type=password&client_id=patchbay-admin&username=dora&scope=openid&password=" + password,
        {kTenantHost});
    token_ = between(answer.body, R"("access_token":")", '"');
    return answer.status;
  }
  long calls() const {
    return http_.get("/api.ashx/v1/calls", {kTenantHost, "Authorization: Bearer " + token_}).status;
  }

 private:
  HttpClient http_;
  std::string token_;
};

std::string password_in(const Said& said) { return between(said.text, "password        ", '\n'); }

size_t rows_with(const Said& said, const std::string& word) {
  size_t count = 0;
  for (size_t at = said.text.find(word); at != std::string::npos; at = said.text.find(word, at + 1)) ++count;
  return count;
}

// On a shared database the next key signs 2 s after it was made, when all servers know it; 409 until then.
Said rotated(VerbServer& server) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    Said said = server.ask({"signing-key", "rotate"});
    if (!said.has("409 conflict") || std::chrono::steady_clock::now() > end) return said;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

TEST_CASE("role, password, end-sessions, disable and enable count at the next request") {
  VerbServer server;
  SignedIn dora(server);
  const std::string password = password_in(server.ask({"user", "create", "dora", "--generate"}));
  REQUIRE(dora.sign_in(password) == 200);
  CHECK(dora.calls() == 403);
  CHECK(server.ask({"user", "role", "dora", "admin"}).has("role            admin\n"));
  CHECK(dora.calls() == 401);  // the tokens of the former role have ended
  CHECK(dora.sign_in(password) == 200);
  CHECK(dora.calls() == 200);
  CHECK(server.ask({"user", "role", "dora", "emperor"}).has("400 invalid_request"));

  CHECK(server.ask({"user", "end-sessions", "dora"}).code == 0);
  CHECK(dora.calls() == 401);
  CHECK(dora.sign_in(password) == 200);
  CHECK(server.ask({"user", "disable", "dora"}).has("disabled        true\n"));
  CHECK(dora.calls() == 401);
  CHECK(dora.sign_in(password) == 400);
  CHECK(server.ask({"user", "enable", "dora"}).has("disabled        false\n"));
  CHECK(dora.sign_in(password) == 200);
  const Said list = server.ask_on_terminal({"user", "list"});
  CHECK(list.has("USER  ROLE   STATE    SOURCE"));
  CHECK(list.has("dora  admin  enabled  api"));

  const std::string other = password_in(server.ask({"user", "password", "dora", "--generate"}));
  CHECK(other != password);
  CHECK(dora.sign_in(password) == 400);
  CHECK(dora.sign_in(other) == 200);
}

TEST_CASE("a password is asked for twice on a terminal, where it is not shown") {
  VerbServer server;
  SignedIn dora(server);
  const Said made =
      server.ask_on_terminal({"user", "create", "dora"}, {"first-password-1", "first-password-1"});
  CHECK(made.code == 0);
  CHECK(made.has("Password of dora: "));
  CHECK(made.has("sipPassword"));
  CHECK_FALSE(made.has("first-password-1"));
  CHECK(dora.sign_in("first-password-1") == 200);
  CHECK(server.ask_on_terminal({"user", "password", "dora"}, {"second-password", "second-passwort"})
            .has("the two passwords differ"));
  CHECK(dora.sign_in("first-password-1") == 200);
  CHECK(server.ask_on_terminal({"user", "password", "dora"}, {"second-password", "second-password"}).code ==
        0);
  CHECK(dora.calls() == 401);
  CHECK(dora.sign_in("second-password") == 200);
  CHECK(server.ask({"user", "password", "dora"}).has("no password was entered"));  // standard input is empty
}

TEST_CASE("signing keys are rotated, and tokens of the former key remain valid") {
  VerbServer server;
  SignedIn dora(server);
  const std::string password =
      password_in(server.ask({"user", "create", "dora", "--role", "admin", "--generate"}));
  REQUIRE(dora.sign_in(password) == 200);
  const Said before = server.ask_on_terminal({"signing-key", "list"});
  CHECK(before.has("STATE    CREATED (UTC)"));
  CHECK(rows_with(before, "  current  ") == 1);
  CHECK(rows_with(before, "  next  ") == 1);
  const std::string next = server.ask({"signing-key", "list", "--json"}).text;
  const std::string kid = between(next.substr(0, next.find(R"("state":"next")"))
                                      .substr(next.rfind(R"("kid":")", next.find(R"("state":"next")"))),
                                  R"("kid":")", '"');
  const Said after = rotated(server);
  CHECK(after.code == 0);
  CHECK(after.has(kid + "  current  "));
  CHECK(rows_with(after, "  retired  ") == 1);
  CHECK(dora.calls() == 200);
  CHECK(dora.sign_in(password) == 200);
  CHECK(dora.calls() == 200);
}

// Users over REST: created, changed and removed, and what that does to their tokens.
#include "user_requests.h"

using namespace identity_test;

TEST_CASE("a created user signs in with the given or the generated password") {
  UserServer server;
  const Answer dora = ask("POST", "", R"({"username":"dora","password":"dora's secret","role":"admin"})");
  CHECK(dora.status == 201);
  CHECK(dora.text("username") == "dora");
  CHECK(dora.text("source") == "api");
  CHECK(dora.text("createdBy") == "alice");
  CHECK(dora.text("sipPassword").size() == 24);
  CHECK_FALSE(dora.body()["password"]);
  const auto principal = probe::verify(sign_in_as("dora", "dora's secret").access);
  REQUIRE(principal);
  CHECK(principal->role == "admin");
  CHECK(principal->is_super);
  const Answer erik = ask("POST", "", R"({"username":"erik"})");
  CHECK(erik.text("password").size() == 20);
  CHECK(probe::verify(sign_in_as("erik", erik.text("password")).access)->role == "user");
  CHECK(error_of(sign_in_response("erik", "wrong")) == "400 invalid_grant");
  const std::vector<std::string> expected = {"user.created dora of a.example by alice",
                                             "user.created erik of a.example by alice"};
  CHECK(audits(2) == expected);
}

TEST_CASE("names are unique over the configured and the created users of a tenant") {
  UserServer server;
  CHECK(ask("POST", "", R"({"username":"alice"})").error() == "409 conflict");
  CHECK(ask("POST", "", R"({"username":"dora"})").status == 201);
  CHECK(ask("POST", "", R"({"username":"dora"})").error() == "409 conflict");
  CHECK(ask("POST", "", R"({"username":"dora"})", "", kTenantB).status == 201);
  CHECK(ask("POST", "", R"({"username":"dora"})", "", "c.example").error() == "400 invalid_request");
  for (const char* name : {"", " x", "key:billing", "a/b", "Zo\\u00eb", "-a", "a\\nb"})
    CHECK(ask("POST", "", R"({"username":")" + std::string(name) + "\"}").error() == "400 invalid_request");
  CHECK(ask("POST", "", R"({"username":"x","password":"short"})").error() == "400 invalid_request");
  CHECK(ask("POST", "", R"({"username":"x","displayName":"a\u202eb"})").error() == "400 invalid_request");
}

TEST_CASE("users are listed with the configured ones first, and read one at a time") {
  UserServer server;
  ask("POST", "", R"({"username":"aaron","displayName":"Aaron A.","password":null})");
  const Answer list = ask("GET", "");
  CHECK(list.response.total == 3);
  const JsonView data = list.body()["data"];
  REQUIRE(data.size() == 3);
  CHECK(data.at(0).text("username", "") == "alice");
  CHECK(data.at(0).text("source", "") == "config");
  CHECK(data.at(2).text("username", "") == "aaron");
  CHECK_FALSE(data.at(2)["password"]);
  CHECK_FALSE(data.at(2)["sipPassword"]);
  CHECK(ask("GET", "aaron").text("displayName") == "Aaron A.");
  CHECK(ask("GET", "aaron", "", "", kTenantB).error() == "404 not_found");
  CHECK(ask("GET", "nobody").error() == "404 not_found");
}

TEST_CASE("configured users are read-only") {
  UserServer server;
  CHECK(ask("PATCH", "bob", R"({"role":"admin"})").error() == "409 read_only");
  CHECK(ask("POST", "bob", "{}", "/password").error() == "409 read_only");
  CHECK(ask("DELETE", "bob").error() == "409 read_only");
}

TEST_CASE("a change of role or password, disabling, removal and end-sessions end a user's tokens") {
  UserServer server;
  const auto ends_tokens = [](const char* method, const std::string& body, const std::string& tail,
                              const std::string& next_password = "first password") {
    ask("POST", "", R"({"username":"dora","password":"first password"})");
    const Tokens tokens = sign_in_as("dora", "first password");
    CHECK(probe::verify(tokens.access));
    CHECK(ask(method, "dora", body, tail).status == 200);
    CHECK_FALSE(probe::verify(tokens.access));
    CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");
    const bool may_sign_in = sign_in_response("dora", next_password).status == 200;
    ask("DELETE", "dora");
    return may_sign_in;
  };
  CHECK(ends_tokens("PATCH", R"({"role":"admin"})", ""));
  CHECK_FALSE(ends_tokens("PATCH", R"({"disabled":true})", ""));
  CHECK(ends_tokens("POST", R"({"password":"second password"})", "/password", "second password"));
  CHECK_FALSE(ends_tokens("POST", "{}", "/password"));
  CHECK_FALSE(ends_tokens("DELETE", "", ""));
  CHECK(ends_tokens("POST", "", "/end-sessions"));
}

TEST_CASE("tokens of a disabled user do not return with the user, and a new display name ends none") {
  UserServer server;
  ask("POST", "", R"({"username":"dora","password":"first password"})");
  const Tokens tokens = sign_in_as("dora", "first password");
  CHECK(ask("PATCH", "dora", R"({"displayName":"Dora"})").text("displayName") == "Dora");
  CHECK(probe::verify(tokens.access));
  ask("PATCH", "dora", R"({"disabled":true})");
  CHECK(ask("PATCH", "dora", R"({"disabled":false})").text("displayName") == "Dora");
  CHECK_FALSE(probe::verify(tokens.access));
}

TEST_CASE("a user who is created again is another user") {
  UserServer server;
  ask("POST", "", R"({"username":"dora","password":"first password"})");
  const Tokens first = sign_in_as("dora", "first password");
  const std::string subject = probe::verify(first.access)->subject;
  CHECK(ask("DELETE", "dora").body()["deleted"].text("username", "") == "dora");
  CHECK(ask("DELETE", "dora").error() == "404 not_found");
  ask("POST", "", R"({"username":"dora","password":"first password"})");
  CHECK_FALSE(probe::verify(first.access));
  CHECK(probe::verify(sign_in_as("dora", "first password").access)->subject != subject);
}

TEST_CASE("the sessions of a configured user end, too, and not twice") {
  UserServer server;
  const Tokens tokens = sign_in();
  CHECK(ask("POST", "alice", "", "/end-sessions").status == 200);
  CHECK_FALSE(probe::verify(tokens.access));
  const Tokens next = sign_in();
  CHECK(probe::verify(next.access));
  server.core.restart();
  CHECK(probe::verify(next.access));
  CHECK_FALSE(probe::verify(tokens.access));
}

TEST_CASE("the last enabled admin of a tenant without a configured one remains") {
  UserServer server;
  CHECK(server.reload(config("\n      users: []\n")));
  ask("POST", "", R"({"username":"dora","role":"admin"})");
  CHECK(ask("DELETE", "dora").error() == "409 conflict");
  CHECK(ask("PATCH", "dora", R"({"role":"user"})").error() == "409 conflict");
  CHECK(ask("PATCH", "dora", R"({"disabled":true})").error() == "409 conflict");
  ask("POST", "", R"({"username":"erik","role":"admin","disabled":true})");
  CHECK(ask("DELETE", "dora").error() == "409 conflict");
  CHECK(ask("PATCH", "erik", R"({"disabled":false})").status == 200);
  CHECK(ask("DELETE", "dora").status == 200);
  http::Request operator_request = user_request("erik");
  operator_request.listener = "local";
  CHECK(probe::ask("DELETE", std::string(kUsers) + "/{username}", operator_request)->status == 200);
}

TEST_CASE("a configured user hides a created one of the same name") {
  UserServer server;
  ask("POST", "", R"({"username":"dora","role":"admin","password":"first password"})");
  const Tokens tokens = sign_in_as("dora", "first password");
  CHECK(server.reload(config("\n      users: [{username: dora, password: configured}]\n")));
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(probe::verify(sign_in_as("dora", "configured").access)->role == "user");
  CHECK(ask("DELETE", "dora").error() == "409 read_only");
  CHECK(server.reload(config()));
  CHECK(probe::verify(tokens.access));
}

TEST_CASE("users, their tokens and sessions are the same after a restart") {
  UserServer server;
  ask("POST", "", R"({"username":"dora","password":"first password"})");
  const Tokens tokens = sign_in_as("dora", "first password");
  server.core.restart();
  CHECK(probe::verify(tokens.access)->username == "dora");
  CHECK(sign_in_response("dora", "first password").status == 200);
}

TEST_CASE("what another process of the database changes counts within two seconds") {
  UserServer server;
  ask("POST", "", R"({"username":"dora","password":"first password"})");
  const Tokens tokens = sign_in_as("dora", "first password");
  CHECK(probe::verify(tokens.access));
  server.as_another_process(
      "BEGIN; UPDATE identity_revision SET rev = rev + 1 WHERE domain = 'users';"
      "UPDATE identity_user SET disabled = 1, sessions = sessions + 1,"
      " rev = (SELECT rev FROM identity_revision WHERE domain = 'users') WHERE name = 'dora'; COMMIT;");
  CHECK(server.within_two_seconds([&] { return !probe::verify(tokens.access); }));
  CHECK(ask("GET", "dora").body()["disabled"].boolean());
}

TEST_CASE("neither the store, the log nor the audit record has a password") {
  UserServer server;
  const Answer dora = ask("POST", "", R"({"username":"dora"})");
  const Answer again = ask("POST", "dora", "{}", "/password");
  const Answer sip = ask("POST", "dora", "", "/sip-password");
  CHECK(sip.text("sipPassword") != dora.text("sipPassword"));
  const std::string everything = server.everything_stored() + server.core.log() + probe::audit_text(3);
  for (const std::string& secret :
       {dora.text("password"), dora.text("sipPassword"), again.text("password"), sip.text("sipPassword")}) {
    CHECK(secret.size() >= 20);
    CHECK(everything.find(secret) == std::string::npos);
  }
}

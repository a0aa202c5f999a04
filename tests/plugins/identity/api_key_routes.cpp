// API keys: created, listed, used and revoked.
#include <chrono>
#include <future>
#include <vector>

#include "identity_server.h"

using namespace identity_test;

TEST_CASE("names of API keys are printable and unique") {
  Server server;
  const auto answer = [](const std::string& name) {
    return error_of(*probe::ask("POST", kKeys, as_alice(R"({"name":")" + name + "\"}")));
  };
  CHECK(make_key("billing").id != "");
  CHECK(answer("billing") == "409 conflict");
  CHECK(make_key("Zoë's phone, 2nd").id != "");
  for (const char* name :
       {" x", "x ", "a\\nb", "a\\u0085b", "a\\u202eb", "a\\u200bb", "\\u2028", "a\\udb40\\udc41"})
    CHECK(answer(name) == "400 invalid_request");
  http::Request other = as_alice(R"({"name":"billing"})");
  other.tenant = kTenantB;
  other.subject = probe::verify(sign_in().access)->subject;
  other.is_super = true;
  const auto made = probe::ask("POST", kKeys, other);  // another tenant's names are its own
  REQUIRE(made);
  CHECK(made->status == 201);
  CHECK(json_without_host(made->body)->root().text("createdBy", "") == "alice@a.example");
}

TEST_CASE("an API key has the rights of an admin of its tenant until it is revoked") {
  Server server;
  const MadeKey key = make_key("billing");
  CHECK(key.key.size() == 46);
  CHECK(key.key.substr(0, 3) == "ak_");
  const auto principal = probe::verify(key.key);
  REQUIRE(principal);
  CHECK(principal->username == "key:billing");
  CHECK(principal->tenant == kTenantA);
  CHECK(principal->role == "admin");
  CHECK(principal->is_key);
  CHECK(principal->is_super);
  CHECK_FALSE(probe::verify("ak_" + std::string(43, 'A')));
  CHECK(remove_key(key.id, kTenantB).status == 404);
  CHECK(remove_key(key.id).status == 200);
  CHECK_FALSE(probe::verify(key.key));
  CHECK(remove_key(key.id).status == 404);
}

TEST_CASE("API keys are listed by tenant and page, without the secret") {
  Server server;
  for (const char* name : {"one", "two", "three"}) {
    make_key(name);
    server.clock.advance(std::chrono::milliseconds(1));
  }
  http::Request request = as_alice();
  request.limit = 2;
  request.offset = 1;
  const auto page = probe::ask("GET", kKeys, request);
  REQUIRE(page);
  CHECK(page->total == 3);
  const auto body = json_without_host(page->body);
  CHECK((*body)["data"].size() == 2);
  CHECK((*body)["data"].at(0).text("name", "") == "two");
  CHECK((*body)["data"].at(0).text("createdBy", "") == "alice");
  CHECK_FALSE((*body)["data"].at(0)["key"]);
  request.offset = INT64_MAX;
  CHECK(json_without_host(probe::ask("GET", kKeys, request)->body)->root()["data"].size() == 0);
  request.tenant = kTenantB;
  CHECK(probe::ask("GET", kKeys, request)->total == 0);
}

TEST_CASE("after the reply to a revocation, no pending check accepts the key") {
  Server server;
  for (int round = 0; round < 20; ++round) {
    const MadeKey key = make_key();
    std::vector<std::future<Result<auth::Principal>>> before;
    for (int i = 0; i < 20; ++i) before.push_back(probe::begin_verify(key.key));
    CHECK(remove_key(key.id).status == 200);
    CHECK_FALSE(probe::verify(key.key));
    for (auto& answer : before) static_cast<void>(probe::wait(std::move(answer)));
  }
}

TEST_CASE("only an admin's token creates API keys, and at the admin socket they are of the primary tenant") {
  Server server;
  sign_in();  // the routes are there
  for (const auto& route : probe::routes()) {
    if (route.path.find("/admin/keys") != std::string::npos) {
      CHECK(route.role == "admin");
      CHECK(route.oidc_only == (route.method == "POST"));
    } else if (route.path.find("/admin/users") != std::string::npos) {
      CHECK(route.role == "admin");
      CHECK(route.oidc_only);
    } else if (route.path.find("/admin/signing-keys") != std::string::npos) {
      CHECK(route.role == "super");
      CHECK(route.oidc_only);
    } else if (route.path == "/oidc.ashx/userinfo") {
      CHECK(route.role == "user");
      CHECK(route.oidc_only);
    } else {
      CHECK(route.role == "none");
    }
  }
  http::Request operator_request;
  operator_request.username = "operator";
  operator_request.listener = "local";
  operator_request.body = Buffer::copy(R"({"name":"cli"})");
  const auto made = probe::ask("POST", kKeys, operator_request);
  REQUIRE(made);
  CHECK(json_without_host(made->body)->root().text("tenant", "") == kTenantA);
  operator_request.tenant = "c.example";
  CHECK(probe::ask("POST", kKeys, operator_request)->status == 400);
}

TEST_CASE("creating and revoking an API key is recorded, and a refused request is not") {
  Server server;
  const MadeKey key = make_key("billing");
  CHECK(error_of(*probe::ask("POST", kKeys, as_alice(R"({"name":"billing"})"))) == "409 conflict");
  CHECK(remove_key(key.id, kTenantB).status == 404);
  CHECK(remove_key(key.id).status == 200);
  CHECK(remove_key(key.id).status == 404);
  make_key("other");
  const auto records = probe::audited(3);
  REQUIRE(records.size() == 3);
  const std::string value = R"({"name":"billing","createdBy":"alice"})";
  CHECK(records[0].action == "key.created");
  CHECK(records[0].object == key.id);
  CHECK(records[0].tenant == kTenantA);
  CHECK(records[0].actor == "alice");
  CHECK(records[0].before == "");
  CHECK(records[0].after == value);
  CHECK(records[1].action == "key.revoked");
  CHECK(records[1].object == key.id);
  CHECK(records[1].before == value);
  CHECK(records[1].after == "");
  CHECK(records[2].action == "key.created");
}

TEST_CASE("a key that is revoked twice at once has one record of it") {
  Server server;
  const MadeKey key = make_key();
  std::vector<std::future<Result<http::Response>>> answers;
  for (int i = 0; i < 4; ++i)
    answers.push_back(probe::begin("DELETE", std::string(kKeys) + "/{id}", as_alice("", {{"id", key.id}})));
  int removed = 0;
  for (auto& answer : answers) {
    const auto response = probe::wait(std::move(answer));
    REQUIRE(response);
    if (response->status == 200) ++removed;
  }
  CHECK(removed == 1);
  make_key("after");
  CHECK(probe::audited(3).size() == 3);
}

// The endpoints over HTTP, through rest-api.
#include <doctest/doctest.h>

#include "support/http_client.h"
#include "support/json_without_host.h"
#include "support/test_server.h"

using namespace patchbay;
using test::HttpAnswer;
using test::HttpClient;

namespace {

constexpr char kConfig[] = R"(
plugins:
  rest-api: {listen: "127.0.0.1:0"}
  identity: {issuer: "http://a.example"}
tenants:
  a.example:
    primary: true
    identity: {users: [{username: alice, role: admin, password: alice}, {username: bob, password: bob}]}
  b.example:
    identity: {users: [{username: carol, role: admin, password: carol}]}
)";
constexpr char kKeys[] = "/api.ashx/v1/admin/keys";

struct Server {
  test::TestServer core{kConfig};
  HttpClient http = HttpClient::of(core);
  HttpClient admin = HttpClient::of(core, "admin");
  Server() {
    REQUIRE(core.start_error() == "");
    REQUIRE(http.wait_for("POST", "/oidc.ashx/token"));
  }
  HttpAnswer sign_in(const std::string& user, const std::string& host,
                     const std::string& scope = "openid") const {
    return http.post("/oidc.ashx/token",
                     "grant_type=password&client_id=patchbay-admin&username=" + user + "&password=" + user +
                         "&scope=" + scope,
                     {"Host: " + host, "Content-Type: application/x-www-form-urlencoded"});
  }
  std::string token(const std::string& user, const std::string& host = "a.example") const {
    return member(sign_in(user, host), "access_token");
  }
  HttpAnswer as(const std::string& bearer, const std::string& method, const std::string& target,
                const std::string& body = "") const {
    return http.ask(method, target, body, {"Authorization: Bearer " + bearer});
  }
  static std::string member(const HttpAnswer& answer, const char* name) {
    const auto body = json_without_host(answer.body);
    return body ? std::string((*body)[name].text()) : std::string();
  }
};

}  // namespace

TEST_CASE("a form gets a token, under the tenant's host name") {
  const Server server;
  const HttpAnswer answer = server.sign_in("alice", "A.EXAMPLE.:8080");
  CHECK(answer.status == 200);
  CHECK(answer.headers.at("cache-control") == "no-store");
  CHECK(answer.headers.at("content-type") == "application/json");
  CHECK(Server::member(answer, "token_type") == "Bearer");
  CHECK(server.sign_in("alice", "b.example").status == 400);
  const HttpAnswer unknown = server.sign_in("alice", "c.example");
  CHECK(unknown.status == 400);
  CHECK(Server::member(unknown, "error") == "invalid_request");
  const HttpAnswer wrong = server.http.get("/oidc.ashx/token");
  CHECK(wrong.status == 405);
  CHECK(wrong.headers.at("allow").find("POST") != std::string::npos);
}

TEST_CASE("discovery and the key set need no bearer") {
  const Server server;
  const HttpAnswer document = server.http.get("/.well-known/openid-configuration", {"Host: a.example"});
  CHECK(document.status == 200);
  CHECK(Server::member(document, "token_endpoint") == "http://a.example/oidc.ashx/token");
  CHECK(server.http.get("/oidc.ashx/jwks").status == 200);
}

TEST_CASE("admins with a token create API keys, which are valid until they are revoked") {
  const Server server;
  const std::string alice = server.token("alice");
  const HttpAnswer made = server.as(alice, "POST", kKeys, R"({"Name":"billing"})");
  CHECK(made.status == 201);
  CHECK(Server::member(made, "createdBy") == "alice");
  const std::string key = Server::member(made, "key"), id = Server::member(made, "id");
  const HttpAnswer list = server.as(key, "GET", std::string(kKeys) + "?limit=1");
  CHECK(list.status == 200);
  const auto page = json_without_host(list.body);
  CHECK((*page)["total"].integer() == 1);
  CHECK((*page)["data"].at(0).text("id", "") == id);
  CHECK(server.as(key, "POST", kKeys, R"({"name":"another"})").status == 403);
  CHECK(server.as(alice, "POST", kKeys, "{}").status == 400);
  CHECK(server.as(alice, "POST", kKeys, R"({"name":"a","Name":"b"})").status == 400);
  CHECK(server.as(alice, "DELETE", std::string(kKeys) + "/" + id).status == 200);
  CHECK(server.as(key, "GET", kKeys).status == 401);
  CHECK(server.as(alice, "DELETE", std::string(kKeys) + "/" + id).status == 404);
}

TEST_CASE("requests without a bearer, of users and of admins of other tenants are refused") {
  const Server server;
  const HttpAnswer stranger = server.http.get(kKeys);
  CHECK(stranger.status == 401);
  CHECK(stranger.headers.at("www-authenticate") == "Bearer");
  CHECK(server.as("nonsense", "GET", kKeys).status == 401);
  CHECK(server.as(server.token("bob"), "GET", kKeys).status == 403);
  const std::string alice = server.token("alice"), carol = server.token("carol", "b.example");
  CHECK(server.as(carol, "GET", std::string(kKeys) + "?tenant=a.example").status == 403);
  const HttpAnswer made =
      server.as(alice, "POST", std::string(kKeys) + "?tenant=b.example", R"({"name":"x"})");
  CHECK(made.status == 201);
  CHECK(Server::member(made, "tenant") == "b.example");
  const std::string id = Server::member(made, "id");
  CHECK(server.as(alice, "DELETE", std::string(kKeys) + "/" + id).status == 404);
  CHECK(server.as(carol, "DELETE", std::string(kKeys) + "/" + id).status == 200);
}

TEST_CASE("API keys can be created at the admin socket") {
  const Server server;
  const HttpAnswer made = server.admin.post(kKeys, R"({"name":"cli"})");
  CHECK(made.status == 201);
  CHECK(Server::member(made, "tenant") == "a.example");
  CHECK(Server::member(made, "createdBy") == "operator");
  CHECK(server.as(Server::member(made, "key"), "GET", kKeys).status == 200);
}

TEST_CASE("users are created by admins of their tenant with a token, and by super-admins") {
  const Server server;
  const std::string users = "/api.ashx/v1/admin/users";
  const std::string alice = server.token("alice"), carol = server.token("carol", "b.example");
  const HttpAnswer made =
      server.as(carol, "POST", users, R"({"Username":"dora","password":"first password"})");
  CHECK(made.status == 201);
  CHECK(Server::member(made, "tenant") == "b.example");
  CHECK(server.as(alice, "GET", users + "/dora").status == 404);
  CHECK(server.as(alice, "PATCH", users + "/dora?tenant=b.example", R"({"role":"admin"})").status == 200);
  CHECK(server.as(carol, "GET", users + "?tenant=a.example").status == 403);
  CHECK(server.as(server.token("bob"), "GET", users).status == 403);
  const std::string key = Server::member(server.as(alice, "POST", kKeys, R"({"name":"billing"})"), "key");
  CHECK(server.as(key, "GET", users).status == 403);
  CHECK(server.admin.get(users).status == 200);
  const HttpAnswer audit = server.as(carol, "GET", "/api.ashx/v1/admin/audit");
  CHECK(audit.body.find("user.created") != std::string::npos);
  CHECK(audit.body.find("first password") == std::string::npos);
  CHECK(server.as(carol, "DELETE", users + "/dora").status == 200);
}

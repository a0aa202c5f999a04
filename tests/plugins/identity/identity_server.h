// A server with identity, three users in two tenants, and a clock controlled by the test. Tests send requests
// through the probe.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/base64.h>

#include <string>

#include "runtime/manual_clock.h"
#include "support/json_without_host.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"

namespace identity_test {

using namespace patchbay;  // NOLINT(google-build-using-namespace)

inline constexpr char kTenantA[] = "a.example", kTenantB[] = "b.example";

// Cheap hashes of "alice's", "bob's" and "carol's".
inline std::string users(const std::string& more = "") {
  return R"(
      users:
        - {username: alice, role: admin, passwordHash: "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$5ghGTYhj93unySuZ/QAHtnyaBAJH4xS+2jyZAuEd+Ug"}
        - {username: bob, passwordHash: "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$HICf4HOCxU8kRok+/pncR6+Cw5m+65JrcA4O1j+ub9Y")" +
         more + R"(}
)";
}
inline std::string config(const std::string& users_of_a = users()) {
  return R"(
plugins:
  probe: {}
  identity: {issuer: "https://a.example"}
tenants:
  a.example:
    primary: true
    identity:)" +
         users_of_a + R"(
  b.example:
    identity:
      issuer: https://b.example
      clients: [other]
      users:
        - {username: carol, role: admin, passwordHash: "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$3r4O3gaIP3QvdX6obU/oDwcU3zyaZaS5TcOceFxgzR4"}
)";
}

struct Server {
  core::ManualClock clock;
  test::TestServer core{config(), &clock, {probe::entry()}};
  Server() { REQUIRE(core.start_error() == ""); }
};

inline http::Request post(const std::string& form, const std::string& tenant = kTenantA,
                          const std::string& remote = "192.0.2.7") {
  http::Request request;
  request.body = Buffer::copy(form);
  request.tenant = tenant;
  request.remote = remote;
  return request;
}

inline http::Response token_response(const http::Request& request) {
  auto response = probe::ask("POST", "/oidc.ashx/token", request);
  if (!response) FAIL(response.error().text);
  return *std::move(response);
}

inline const std::string kAlice =
    "grant_type=password&client_id=patchbay-admin&username=alice&password=alice%27s";

struct Tokens {
  std::string access, refresh, id;
  int64_t expires_in = 0;
};
inline Tokens tokens_of(const http::Response& response) {
  CHECK(response.status == 200);
  const auto body = json_without_host(response.body);
  REQUIRE(body);
  return {std::string((*body)["access_token"].text()), std::string((*body)["refresh_token"].text()),
          std::string((*body)["id_token"].text()), (*body)["expires_in"].integer()};
}
// The jti of the access token.
inline std::string token_id(const Tokens& tokens) {
  const std::string& token = tokens.access;
  const size_t dot = token.find('.');
  const auto claims =
      json_without_host(from_base64url(token.substr(dot + 1, token.rfind('.') - dot - 1)).value_or(""));
  REQUIRE(claims);
  return std::string((*claims)["jti"].text());
}
inline Tokens sign_in(const std::string& form = kAlice, const std::string& tenant = kTenantA) {
  return tokens_of(token_response(post(form, tenant)));
}
inline http::Response refresh(const std::string& token, const std::string& more = "&client_id=patchbay-admin",
                              const std::string& tenant = kTenantA) {
  return token_response(post("grant_type=refresh_token&refresh_token=" + token + more, tenant));
}
inline std::string error_of(const http::Response& response) {
  const auto body = json_without_host(response.body);
  return body ? std::to_string(response.status) + " " + std::string((*body)["error"].text()) : response.body;
}

inline http::Request as_alice(const std::string& json = "", const NameValues& params = {}) {
  http::Request request;
  request.tenant = kTenantA;
  request.username = "alice";
  request.role = "admin";
  request.body = Buffer::copy(json);
  request.params = params;
  return request;
}
inline constexpr char kKeys[] = "/api.ashx/v1/admin/keys";

struct MadeKey {
  std::string id, key;
};
inline MadeKey make_key(const std::string& name = "billing") {
  const auto made = probe::ask("POST", kKeys, as_alice(R"({"name":")" + name + "\"}"));
  REQUIRE(made);
  CHECK(made->status == 201);
  const auto body = json_without_host(made->body);
  return {std::string((*body)["id"].text()), std::string((*body)["key"].text())};
}
inline http::Response remove_key(const std::string& id, const std::string& tenant = kTenantA) {
  http::Request request = as_alice("", {{"id", id}});
  request.tenant = tenant;
  const auto removed = probe::ask("DELETE", std::string(kKeys) + "/{id}", request);
  REQUIRE(removed);
  return *removed;
}

}  // namespace identity_test

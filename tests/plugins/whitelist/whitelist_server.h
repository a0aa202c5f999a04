// A server with identity and the whitelist, two tenants with a shared secret and one whose secret is too
// short. Tests send requests through the probe, signed or with a bearer.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/hex.h>

#include <string>

#include "crypto/digest.h"
#include "runtime/manual_clock.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"

namespace whitelist_test {

using namespace patchbay;  // NOLINT(google-build-using-namespace)

inline constexpr char kTenantA[] = "a.example", kTenantB[] = "b.example", kNoSecret[] = "c.example";
inline const std::string kSecretA = "0123456789abcdef01234567", kSecretB = "another secret of 26 bytes";

inline constexpr char kConfig[] = R"(
plugins:
  probe: {}
  identity: {issuer: "https://a.example"}
  whitelist: {}
tenants:
  a.example:
    primary: true
    identity: {users: [{username: alice, role: admin, password: alice}, {username: bob, password: bob}]}
    WebPhone: {AdminSharedSecret: "0123456789abcdef01234567"}
  b.example:
    identity: {users: [{username: carol, role: admin, password: carol}]}
    WebPhone: {AdminSharedSecret: "another secret of 26 bytes"}
  c.example:
    identity: {users: [{username: dave, role: admin, password: dave}]}
    WebPhone: {AdminSharedSecret: "twenty-three bytes long"}
)";

struct Server {
  explicit Server(core::ManualClock* clock = nullptr) : core(kConfig, clock, {probe::entry()}) {
    REQUIRE(core.start_error() == "");
  }
  test::TestServer core;
};

inline std::string sign(const std::string& secret, const std::string& text) {
  return to_hex(lib::hmac_sha256(secret, text));
}

// Sends a request with these headers.
inline http::Response send(const std::string& verb, const std::string& tenant, const NameValues& headers,
                           const std::string& body = "", const NameValues& query = {}) {
  http::Request request;
  request.tenant = tenant;
  request.headers = headers;
  request.query = query;
  request.remote = "192.0.2.7";
  if (verb != "list") request.body = Buffer::copy(body);
  auto response = probe::ask(verb == "list" ? "GET" : "POST", "/signal.ashx", request, "whitelist=" + verb);
  if (!response) FAIL(response.error().text);
  return *std::move(response);
}
inline NameValues signature(const std::string& text) { return {{"x-platform-admin-signature", text}}; }
inline NameValues authorization(const std::string& text) { return {{"authorization", text}}; }
inline NameValues bearer(const std::string& token) { return authorization("Bearer " + token); }

// Sends a request with a correct signature.
inline http::Response signed_send(const std::string& verb, const std::string& body = "",
                                  const NameValues& query = {}, const std::string& tenant = kTenantA,
                                  const std::string& secret = kSecretA) {
  std::string text = "whitelist-" + verb + "|" + tenant;
  if (verb != "list") text += "|" + std::to_string(body.size());
  return send(verb, tenant, signature("sha256=" + sign(secret, text)), body, query);
}
inline std::string text(const http::Response& response) {
  return std::to_string(response.status) + " " + response.body;
}

inline std::string token(const std::string& user, const std::string& tenant) {
  http::Request request;
  request.tenant = tenant;
  request.body =
      Buffer::copy("grant_type=password&client_id=patchbay-admin&username=" + user + "&password=" + user);
  const auto response = probe::ask("POST", "/oidc.ashx/token", request);
  REQUIRE(response);
  const size_t from = response->body.find("\"access_token\":\"") + 16;
  return response->body.substr(from, response->body.find('"', from) - from);
}

inline bool allowed(const std::string& number, const std::string& tenant = kTenantA) {
  const auto verdict = probe::dial(tenant, number);
  if (!verdict) FAIL(verdict.error().text);
  CHECK((verdict->allowed ? verdict->reason.empty() : verdict->reason == "not whitelisted"));
  CHECK((verdict->allowed || verdict->detail == "no entry; POST /calls adds one itself"));
  return verdict->allowed;
}

inline http::Response remove_number(const std::string& number, const std::string& tenant = kTenantA) {
  http::Request request;
  request.tenant = tenant;
  request.username = "alice";
  request.remote = "192.0.2.7";
  request.params = {{"number", number}};
  auto response = probe::ask("DELETE", "/api.ashx/v1/admin/whitelist/{number}", request);
  if (!response) FAIL(response.error().text);
  return *std::move(response);
}

}  // namespace whitelist_test

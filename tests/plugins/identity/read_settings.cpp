#include "read_settings.h"

#include <doctest/doctest.h>

#include "support/plugin_config.h"

using patchbay::identity::Settings;

namespace {

patchbay::test::PluginConfig configured(const std::string& view) { return {IDENTITY_SETTINGS, view}; }

Settings read(const std::string& users, const std::string& more = "") {
  auto settings =
      Settings::read(configured(R"({"plugin":{"issuer":"https://a.example/","tokenLifetimeSec":60},"tenants":{
          "a.example":{"primary":true,"section":{"clients":["c"],"users":[)" +
                                users + "]}}" + more + "}}"));
  REQUIRE(settings);
  return *std::move(settings);
}

const patchbay::identity::User* user(const Settings& settings, const char* tenant, const char* name) {
  const auto& users = settings.tenant(tenant)->users;
  const auto found = users.find(name);
  return found == users.end() ? nullptr : &found->second;
}

bool refused(const std::string& users) {
  return !Settings::read(
      configured(R"({"plugin":{"issuer":"https://a.example"},"tenants":{"a.example":{"section":{"users":[)" +
                 users + "]}}}}"));
}

}  // namespace

TEST_CASE("users, clients and issuers are found by tenant") {
  const auto settings = read(
      R"({"username":"alice","password":"secret","role":"admin"},{"username":"bob","password":"x","disabled":true})",
      R"(,"b.example":{"section":{"issuer":"https://b.example","users":[]}})");
  CHECK(settings.token_lifetime_sec == 60);
  REQUIRE(settings.tenant("a.example"));
  CHECK(settings.tenant("a.example")->issuer == "https://a.example");
  CHECK(settings.tenant("b.example")->issuer == "https://b.example");
  CHECK(settings.primary()->host == "a.example");
  CHECK(settings.tenant("a.example")->client("c") != nullptr);
  REQUIRE(user(settings, "a.example", "alice"));
  CHECK(user(settings, "a.example", "alice")->role == "admin");
  CHECK(user(settings, "a.example", "alice")->tenant == "a.example");
  CHECK(user(settings, "a.example", "bob")->disabled);
  CHECK(user(settings, "a.example", "Alice") == nullptr);
  CHECK(user(settings, "b.example", "alice") == nullptr);
  CHECK(settings.tenant("c.example") == nullptr);
}

TEST_CASE("what is not configured is as the manifest says") {
  const auto settings = Settings::read(
      configured(R"({"plugin":{"issuer":"https://a.example"},"tenants":{"a.example":{"primary":true,
          "section":{"users":[{"username":"alice","password":"secret"}]}}}})"));
  REQUIRE(settings);
  CHECK(settings->token_lifetime_sec == 3600);
  CHECK(settings->refresh_lifetime_sec == 2'592'000);
  CHECK(settings->sign_in_lifetime_sec == 7'776'000);
  CHECK(settings->tenant("a.example")->client("patchbay-admin") != nullptr);
  CHECK(settings->session_lifetime_sec == 43'200);
  CHECK(user(*settings, "a.example", "alice")->role == "user");
}

TEST_CASE("users of the same name in two tenants have different subjects") {
  const std::string alice = R"({"username":"alice","password":"secret"})";
  const auto again = read(alice);
  const auto settings = read(alice, R"(,"b.example":{"section":{"users":[)" + alice + "]}}");
  CHECK(user(settings, "a.example", "alice")->subject != user(settings, "b.example", "alice")->subject);
  CHECK(user(settings, "a.example", "alice")->subject == user(again, "a.example", "alice")->subject);
}

TEST_CASE("checking an unknown user costs as much as checking the first user") {
  const auto settings = read(
      R"({"username":"alice","passwordHash":"$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAAAAAAAAAAAAAAAAAAAAA"})");
  CHECK_FALSE(settings.tenant("a.example")->dummy_credential->matches("x"));
}

TEST_CASE("a user has exactly one secret and one entry") {
  CHECK(refused(R"({"username":"alice"})"));
  CHECK(refused(R"({"username":"alice","password":"x","passwordHash":"y"})"));
  CHECK(refused(R"({"username":"alice","passwordHash":"md5"})"));
  CHECK(refused(R"({"username":"alice","password":"x"},{"username":"alice","password":"y"})"));
  CHECK_FALSE(refused(R"({"username":"alice","password":"x"},{"username":"bob","password":"x"})"));
}

TEST_CASE("a tenant without an issuer has the primary's scheme and port with its own host") {
  const auto with = [](const std::string& issuer, const std::string& of_primary) {
    auto settings = Settings::read(configured(
        R"({"plugin":{"issuer":")" + issuer + R"("},"tenants":{"a.example":{"primary":true,"section":{)" +
        of_primary + R"("users":[]}},"b.example":{"section":{"users":[]}}}})"));
    REQUIRE(settings);
    return settings->tenant("b.example")->issuer;
  };
  CHECK(with("https://a.example", "") == "https://b.example");
  CHECK(with("http://127.0.0.1:8080/", "") == "http://b.example:8080");
  CHECK(with("https://[2001:db8::1]", "") == "https://b.example");
  CHECK(with("https://[2001:db8::1]:8443", "") == "https://b.example:8443");
  CHECK(with("https://x.example", R"("issuer":"http://a.example:81",)") == "http://b.example:81");
}

TEST_CASE("a client is an id, or an object with redirect URIs") {
  const auto clients = [](const std::string& list) {
    return Settings::read(configured(
        R"({"plugin":{"issuer":"https://a.example"},"tenants":{"a.example":{"primary":true,"section":{"clients":[)" +
        list + "]}}}}"));
  };
  const auto settings = clients(
      R"("c",{"id":"portal","name":"Portal","redirectUris":["https://p.example/cb"],"postLogoutRedirectUris":["https://p.example/"]})");
  REQUIRE(settings);
  const auto* tenant = settings->tenant("a.example");
  REQUIRE(tenant->client("c"));
  CHECK_FALSE(tenant->client("c")->may_redirect_to("https://p.example/cb"));
  CHECK(tenant->client("c")->title() == "c");
  REQUIRE(tenant->client("portal"));
  CHECK(tenant->client("portal")->title() == "Portal");
  CHECK(tenant->client("portal")->may_redirect_to("https://p.example/cb"));
  CHECK_FALSE(tenant->client("portal")->may_redirect_to("https://p.example/"));
  CHECK(tenant->client("portal")->may_return_to("https://p.example/"));
  CHECK(tenant->client("x") == nullptr);
  const auto fault = [&](const std::string& list) {
    const auto refused = clients(list);
    return refused ? std::string() : refused.error().text;
  };
  CHECK(fault(R"("c",{"id":"d","redirectUris":["https://x.example/","http://x.example/"]})")
            .rfind("tenants.a.example.identity.clients[1].redirectUris[1]: must begin with https:", 0) == 0);
  CHECK(fault(R"({"id":"d","postLogoutRedirectUris":["x"]})")
            .rfind("tenants.a.example.identity.clients[0].postLogoutRedirectUris[0]: must be an absolute URI",
                   0) == 0);
  CHECK(fault(R"({"id":"d","name":"a\u0007"})").rfind("tenants.a.example.identity.clients[0].name: ", 0) ==
        0);
  CHECK(fault(R"("d",{"id":"d"})") == "tenants.a.example.identity.clients[1]: this client is defined twice");
}

// Tokens and refresh tokens, reloads and restarts.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <string>
#include <vector>

#include "identity_server.h"

using namespace identity_test;

TEST_CASE("a password gets a token that identifies its user") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=openid");
  CHECK(tokens.expires_in == 3600);
  CHECK(tokens.refresh == "");
  CHECK(tokens.id != "");
  const auto principal = probe::verify(tokens.access);
  REQUIRE(principal);
  CHECK(principal->username == "alice");
  CHECK(principal->tenant == kTenantA);
  CHECK(principal->role == "admin");
  CHECK(principal->is_super);
  CHECK_FALSE(principal->is_key);
  CHECK(probe::verify(tokens.access)->subject == principal->subject);  // from the cache
  CHECK_FALSE(probe::verify(tokens.id));                               // no access token
  CHECK_FALSE(probe::verify(""));
  CHECK_FALSE(probe::verify(tokens.access + "x"));
}

TEST_CASE("admins of other tenants are not super-admins, and users are not admins") {
  Server server;
  const auto carol = probe::verify(
      sign_in("grant_type=password&client_id=other&username=carol&password=carol%27s", kTenantB).access);
  REQUIRE(carol);
  CHECK(carol->tenant == kTenantB);
  CHECK(carol->role == "admin");
  CHECK_FALSE(carol->is_super);
  const auto bob = probe::verify(
      sign_in("grant_type=password&client_id=patchbay-admin&username=bob&password=bob%27s").access);
  REQUIRE(bob);
  CHECK(bob->role == "user");
  CHECK_FALSE(bob->is_super);
}

TEST_CASE("an expired token is refused, also from the cache") {
  Server server;
  const Tokens tokens = sign_in();
  CHECK(probe::verify(tokens.access));
  server.clock.set_wall(server.clock.now_ms() + 3599 * 1000);
  CHECK(probe::verify(tokens.access));
  server.clock.set_wall(server.clock.now_ms() + 1000);
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK_FALSE(probe::verify(tokens.access));
}

TEST_CASE("errors of the token endpoint are those of RFC 6749") {
  Server server;
  const auto error = [](const std::string& form, const std::string& tenant = kTenantA) {
    return error_of(token_response(post(form, tenant)));
  };
  const std::string client = "&client_id=patchbay-admin";
  CHECK(error(kAlice, "") == "400 invalid_request");
  CHECK(error(kAlice, "c.example") == "400 invalid_request");
  CHECK(error("") == "400 invalid_request");
  CHECK(error("{\"grant_type\":\"password\"}") == "400 invalid_request");
  CHECK(error(kAlice + "&username=bob") == "400 invalid_request");
  CHECK(error("grant_type=%zz") == "400 invalid_request");
  CHECK(error("grant_type=client_credentials" + client) == "400 unsupported_grant_type");
  CHECK(error("grant_type=password") == "400 invalid_request");
  CHECK(error("grant_type=password&client_id=x&username=alice&password=alice%27s") == "401 invalid_client");
  CHECK(error("grant_type=password&username=alice" + client) == "400 invalid_request");
  CHECK(error("grant_type=password&username=alice&password=" + client) == "400 invalid_request");
  CHECK(error("grant_type=refresh_token" + client) == "400 invalid_request");
  CHECK(error("grant_type=refresh_token&refresh_token=rt_x" + client) == "400 invalid_grant");
}

TEST_CASE("a wrong user and a wrong password get the same reply") {
  Server server;
  const auto answer = [](const std::string& user, const std::string& tenant = kTenantA) {
    const auto response = token_response(
        post("grant_type=password&client_id=patchbay-admin&password=wrong&username=" + user, tenant));
    std::string all = std::to_string(response.status) + response.body;
    for (const auto& [name, value] : response.headers) all.append(name).append(value);
    return all;
  };
  CHECK(answer("alice") == answer("nobody"));
  CHECK(answer("alice") == answer("carol"));  // of another tenant
  CHECK(answer("alice") == answer(std::string(200, 'x')));
  CHECK(answer("alice").find("invalid_grant") != std::string::npos);
}

TEST_CASE("a refresh token is used once and replaced by the next") {
  Server server;
  const Tokens first = sign_in(kAlice + "&scope=openid%20offline_access");
  CHECK(first.refresh.size() == 46);
  const Tokens second = tokens_of(refresh(first.refresh));
  CHECK(second.refresh != first.refresh);
  CHECK(second.id != "");
  CHECK(probe::verify(second.access));
  const Tokens third = tokens_of(refresh(second.refresh));
  CHECK(error_of(refresh(third.refresh, "&client_id=other", kTenantB)) == "400 invalid_grant");
  CHECK(error_of(refresh(first.refresh)) == "400 invalid_grant");  // reuse: the family ends
  CHECK(error_of(refresh(third.refresh)) == "400 invalid_grant");
  CHECK_FALSE(probe::verify(third.refresh));  // no access token
}

TEST_CASE("fifty uses of one refresh token at once give at most one success") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  std::vector<std::future<Result<http::Response>>> answers;
  for (int i = 0; i < 50; ++i)
    answers.push_back(probe::begin(
        "POST", "/oidc.ashx/token",
        post("grant_type=refresh_token&client_id=patchbay-admin&refresh_token=" + tokens.refresh)));
  int successes = 0;
  std::string next;
  for (auto& answer : answers) {
    const auto response = probe::wait(std::move(answer));
    REQUIRE(response);
    if (response->status != 200) continue;
    ++successes;
    next = tokens_of(*response).refresh;
  }
  CHECK(successes == 1);
  server.clock.advance(std::chrono::minutes(1));  // so many failures are throttled
  CHECK(error_of(refresh(next)) == "400 invalid_grant");
}

TEST_CASE("a refresh token expires") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  server.clock.advance(std::chrono::hours(24 * 30) + std::chrono::seconds(1));
  CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");
}

TEST_CASE("refresh tokens can be renewed for a limited time after the sign-in") {
  Server server;
  Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  for (int i = 0; i < 3; ++i) {
    server.clock.advance(std::chrono::hours(24 * 29));
    tokens = tokens_of(refresh(tokens.refresh));
  }
  server.clock.advance(std::chrono::hours(24 * 3) + std::chrono::seconds(1));  // 90 days after the sign-in
  CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");
}

TEST_CASE("JSON at the token endpoint gets an error that asks for a form") {
  Server server;
  const auto response = token_response(post(R"({"grant_type":"password","username":"alice"})"));
  CHECK(error_of(response) == "400 invalid_request");
  CHECK(response.body.find("send a form") != std::string::npos);
}

TEST_CASE("a reload removes or changes a user at once") {
  Server server;
  const std::string bob = "grant_type=password&client_id=patchbay-admin&username=bob&password=bob%27s";
  const Tokens tokens = sign_in(bob + "&scope=offline_access");
  CHECK(probe::verify(tokens.access)->role == "user");
  CHECK(server.core.reload(config(users(", role: admin"))));
  CHECK(probe::verify(tokens.access)->role == "admin");
  CHECK(server.core.reload(config(users(", disabled: true"))));
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(error_of(token_response(post(bob))) == "400 invalid_grant");
  CHECK(server.core.reload(config()));
  CHECK(probe::verify(tokens.access));
  CHECK(server.core.reload(config(users(", disabled: true"))));
  CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");  // and it ends the grant
  CHECK(server.core.reload(config()));
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");
}

TEST_CASE("an admin's token is invalid once the user is no longer an admin") {
  Server server;
  CHECK(server.core.reload(config(users(", role: admin"))));
  const std::string bob = "grant_type=password&client_id=patchbay-admin&username=bob&password=bob%27s";
  const Tokens tokens = sign_in(bob + "&scope=offline_access");
  CHECK(probe::verify(tokens.access)->role == "admin");
  CHECK(server.core.reload(config()));
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(probe::verify(tokens_of(refresh(tokens.refresh)).access)->role == "user");
}

TEST_CASE("a changed password makes the tokens of the old one invalid") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  CHECK(probe::verify(tokens.access));
  CHECK(server.core.reload(
      config("\n      users:\n        - {username: alice, role: admin, password: new}\n")));
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");
  CHECK(error_of(token_response(post(kAlice))) == "400 invalid_grant");
  CHECK(sign_in("grant_type=password&client_id=patchbay-admin&username=alice&password=new").access != "");
}

TEST_CASE("a configuration with a mistake is refused as a whole") {
  Server server;
  const Status refused = server.core.reload(config("\n      users: [{username: alice}]\n"));
  CHECK_FALSE(refused);
  CHECK(sign_in().access != "");
}

TEST_CASE("tokens, API keys and refresh tokens are valid after a restart") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  const MadeKey key = make_key();
  server.core.restart();
  REQUIRE(server.core.start_error() == "");
  CHECK(probe::verify(tokens.access));
  CHECK(probe::verify(key.key));
  CHECK(refresh(tokens.refresh).status == 200);
}

TEST_CASE("neither the store nor the log has a password, a token or an API key in plain text") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  const MadeKey key = make_key();
  CHECK(probe::verify(key.key));
  CHECK(probe::verify(tokens.access));
  refresh(tokens.refresh);
  std::string everything = server.core.log();
  CHECK(everything.find("signed in") != std::string::npos);
  for (const auto& file : std::filesystem::recursive_directory_iterator(server.core.data())) {
    if (!file.is_regular_file()) continue;
    std::ostringstream bytes;
    bytes << std::ifstream(file.path(), std::ios::binary).rdbuf();
    everything += bytes.str();
  }
  for (const std::string& secret : {tokens.access, tokens.refresh, key.key, std::string("alice's")})
    CHECK(everything.find(secret) == std::string::npos);
  CHECK(everything.find("billing") != std::string::npos);
}

TEST_CASE("discovery and public keys are those of the tenant in the Host header") {
  Server server;
  http::Request request;
  request.tenant = kTenantB;
  const auto document = probe::ask("GET", "/.well-known/openid-configuration", request);
  REQUIRE(document);
  CHECK(json_without_host(document->body)->root().text("issuer", "") == "https://b.example");
  request.tenant = "";
  CHECK(json_without_host(probe::ask("GET", "/.well-known/openid-configuration", request)->body)
            ->root()
            .text("issuer", "") == "https://a.example");
  const auto keys = probe::ask("GET", "/oidc.ashx/jwks", request);
  REQUIRE(keys);
  CHECK(json_without_host(keys->body)->root()["keys"].size() == 2);
}

TEST_CASE("the key of keyFile signs, and an error names a wrong key file") {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "key.pem").string();
  const std::string yaml = R"(
plugins: {probe: {}, identity: {issuer: "https://a.example", keyFile: ")" +
                           path + R"("}}
tenants: {a.example: {primary: true}}
)";
  {
    const test::TestServer server(yaml, nullptr, {probe::entry()});
    CHECK(server.start_error().find("cannot read keyFile " + path) != std::string::npos);
  }
  std::ofstream(path) << R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIPVQkDR4ouP/kCtJurVhiEflzhI6UmFeOKG2QbgeC5R2oAoGCCqGSM49
AwEHoUQDQgAEmWMtmAf6IuZMqaOISTyE5PB2kxjXdncDkmdIe8bG1BbTywYnbMIr
WqI9/ZJf7LZrZspCqi1H1ggxPm+f1TxwMw==
-----END EC PRIVATE KEY-----)";
  const test::TestServer server(yaml, nullptr, {probe::entry()});
  CHECK(server.start_error() == "");
  const auto keys = probe::ask("GET", "/oidc.ashx/jwks", {});
  REQUIRE(keys);
  CHECK(json_without_host(keys->body)->root()["keys"].at(0).text("kid", "") ==
        "Lt59dsPRfJb5pO6eQs1gWNcjcpuOGleZ7S5lSGgYP8E");
}

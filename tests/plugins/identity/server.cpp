#include "support/server.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "runtime/manual_clock.h"
#include "support/json_here.h"
#include "support/probe.h"

using namespace patchbay;

namespace {

constexpr char kTenantA[] = "a.example", kTenantB[] = "b.example";

// Cheap hashes of "alice's", "bob's" and "carol's".
std::string users(const std::string& more = "") {
  return R"(
      users:
        - {username: alice, role: admin, passwordHash: "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$5ghGTYhj93unySuZ/QAHtnyaBAJH4xS+2jyZAuEd+Ug"}
        - {username: bob, passwordHash: "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$HICf4HOCxU8kRok+/pncR6+Cw5m+65JrcA4O1j+ub9Y")" +
         more + R"(}
)";
}
std::string config(const std::string& users_of_a = users()) {
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

http::Request post(const std::string& form, const std::string& tenant = kTenantA,
                   const std::string& remote = "192.0.2.7") {
  http::Request request;
  request.body = Buffer::copy(form);
  request.tenant = tenant;
  request.remote = remote;
  return request;
}

http::Response token_response(const http::Request& request) {
  auto response = probe::ask("POST", "/oidc.ashx/token", request);
  if (!response) FAIL(response.error().text);
  return *std::move(response);
}

const std::string kAlice = "grant_type=password&client_id=patchbay-admin&username=alice&password=alice%27s";

struct Tokens {
  std::string access, refresh, id;
  int64_t expires_in = 0;
};
Tokens tokens_of(const http::Response& response) {
  CHECK(response.status == 200);
  const auto body = json_here(response.body);
  REQUIRE(body);
  return {std::string((*body)["access_token"].text()), std::string((*body)["refresh_token"].text()),
          std::string((*body)["id_token"].text()), (*body)["expires_in"].integer()};
}
Tokens sign_in(const std::string& form = kAlice, const std::string& tenant = kTenantA) {
  return tokens_of(token_response(post(form, tenant)));
}
http::Response refresh(const std::string& token, const std::string& more = "&client_id=patchbay-admin",
                       const std::string& tenant = kTenantA) {
  return token_response(post("grant_type=refresh_token&refresh_token=" + token + more, tenant));
}
std::string error_of(const http::Response& response) {
  const auto body = json_here(response.body);
  return body ? std::to_string(response.status) + " " + std::string((*body)["error"].text()) : response.body;
}

http::Request as_alice(const std::string& json = "", const std::string& params = "{}") {
  http::Request request;
  request.tenant = kTenantA;
  request.username = "alice";
  request.role = "admin";
  request.json = json;
  request.params = params;
  return request;
}
constexpr char kKeys[] = "/api.ashx/v1/admin/keys";

struct MadeKey {
  std::string id, key;
};
MadeKey make_key(const std::string& name = "billing") {
  const auto made = probe::ask("POST", kKeys, as_alice(R"({"name":")" + name + "\"}"));
  REQUIRE(made);
  CHECK(made->status == 201);
  const auto body = json_here(made->body);
  return {std::string((*body)["id"].text()), std::string((*body)["key"].text())};
}
http::Response remove_key(const std::string& id, const std::string& tenant = kTenantA) {
  http::Request request = as_alice("", R"({"id":")" + id + "\"}");
  request.tenant = tenant;
  const auto removed = probe::ask("DELETE", std::string(kKeys) + "/{id}", request);
  REQUIRE(removed);
  return *removed;
}

}  // namespace

TEST_CASE("a password brings a token that says who its bearer is") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=openid");
  CHECK(tokens.expires_in == 3600);
  CHECK(tokens.refresh == "");
  CHECK(tokens.id != "");
  const auto who = probe::verify(tokens.access);
  REQUIRE(who);
  CHECK(who->username == "alice");
  CHECK(who->tenant == kTenantA);
  CHECK(who->role == "admin");
  CHECK(who->is_super);
  CHECK_FALSE(who->is_key);
  CHECK(probe::verify(tokens.access)->subject == who->subject);  // from the cache
  CHECK_FALSE(probe::verify(tokens.id));                         // no access token
  CHECK_FALSE(probe::verify(""));
  CHECK_FALSE(probe::verify(tokens.access + "x"));
}

TEST_CASE("admins of other tenants are no super-admins, users no admins") {
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

TEST_CASE("a wrong user and a wrong password get the same answer") {
  Server server;
  const auto answer = [](const std::string& user, const std::string& tenant = kTenantA) {
    const auto response = token_response(
        post("grant_type=password&client_id=patchbay-admin&password=wrong&username=" + user, tenant));
    return std::to_string(response.status) + response.body + response.headers;
  };
  CHECK(answer("alice") == answer("nobody"));
  CHECK(answer("alice") == answer("carol"));  // of another tenant
  CHECK(answer("alice") == answer(std::string(200, 'x')));
  CHECK(answer("alice").find("invalid_grant") != std::string::npos);
}

TEST_CASE("after ten wrong passwords an account is throttled for that address") {
  Server server;
  const std::string wrong = "grant_type=password&client_id=patchbay-admin&username=alice&password=wrong";
  const std::string bob = "grant_type=password&client_id=patchbay-admin&username=bob&password=bob%27s";
  CHECK(token_response(post(bob)).status == 200);
  for (int i = 0; i < 10; ++i) CHECK(error_of(token_response(post(wrong))) == "400 invalid_grant");
  const auto refused = token_response(post(kAlice));
  CHECK(error_of(refused) == "429 rate_limited");
  CHECK(refused.headers.find("Retry-After") != std::string::npos);
  CHECK(token_response(post(kAlice, kTenantA, "192.0.2.8")).status == 200);
  CHECK(token_response(post(bob)).status == 200);
  server.clock.advance(std::chrono::seconds(61));
  CHECK(token_response(post(kAlice)).status == 200);  // and all ten are back
  for (int i = 0; i < 10; ++i) CHECK(error_of(token_response(post(wrong))) == "400 invalid_grant");
}

TEST_CASE("many may sign in at once, and many guesses at once are no more than ten") {
  Server server;
  const auto at_once = [](const std::vector<http::Request>& requests) {
    std::vector<std::future<Result<http::Response>>> answers;
    answers.reserve(requests.size());
    for (const auto& request : requests) answers.push_back(probe::begin("POST", "/oidc.ashx/token", request));
    std::map<int64_t, int> statuses;
    for (auto& answer : answers) {
      const auto response = probe::wait(std::move(answer));
      REQUIRE(response);
      ++statuses[response->status];
    }
    return statuses;
  };
  std::vector<http::Request> everybody, guesses;
  for (int i = 0; i < 50; ++i) everybody.push_back(post(kAlice, kTenantA, "192.0.2." + std::to_string(i)));
  CHECK(at_once(everybody)[200] == 50);
  const std::string wrong = "grant_type=password&client_id=patchbay-admin&username=alice&password=wrong";
  for (int i = 0; i < 100; ++i) guesses.push_back(post(wrong, kTenantA, "198.51.100.1"));
  auto statuses = at_once(guesses);
  CHECK(statuses[400] <= 12);  // two are checked at a time
  CHECK(statuses[400] + statuses[429] + statuses[503] == 100);
}

TEST_CASE("guesses from one address at many accounts are throttled, and do not keep others from signing in") {
  Server server;
  const auto guess = [](const std::string& user, const std::string& remote) {
    return error_of(token_response(post(
        "grant_type=password&client_id=patchbay-admin&password=wrong&username=" + user, kTenantA, remote)));
  };
  CHECK(token_response(post(kAlice, kTenantA, "2001:db8::1")).status == 200);
  for (int i = 0; i < 10; ++i)  // a customer has as many IPv6 addresses as he likes
    CHECK(guess("user" + std::to_string(i), "2001:db8::" + std::to_string(i + 1)) == "400 invalid_grant");
  CHECK(guess("another", "2001:db8::99") == "429 rate_limited");
  const std::string bob = "grant_type=password&client_id=patchbay-admin&username=bob&password=bob%27s";
  CHECK(token_response(post(bob, kTenantA, "2001:db8::7")).status == 429);
  CHECK(token_response(post(bob, kTenantA, "2001:db8:0:1::7")).status == 200);
  CHECK(token_response(post(kAlice, kTenantA, "2001:db8::1")).status == 200);  // has been here before
  server.clock.advance(std::chrono::seconds(7));
  CHECK(token_response(post(bob, kTenantA, "2001:db8::7")).status == 200);
}

TEST_CASE("an account that is attacked from many places is slowed, not locked") {
  Server server;
  CHECK(token_response(post(kAlice, kTenantA, "192.0.2.99")).status == 200);
  const std::string wrong = "grant_type=password&client_id=patchbay-admin&username=alice&password=wrong";
  for (int i = 0; i < 20; ++i)
    CHECK(token_response(post(wrong, kTenantA, "192.0.2." + std::to_string(i))).status == 400);
  CHECK(token_response(post(kAlice, kTenantA, "192.0.2.99")).status == 200);  // from where she always does
  auto answer = probe::begin("POST", "/oidc.ashx/token", post(kAlice, kTenantA, "192.0.2.98"));
  std::chrono::milliseconds passed{0};
  for (int i = 0; i < 2000 && answer.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready;
       ++i) {
    server.clock.advance(std::chrono::milliseconds(100));
    passed += std::chrono::milliseconds(100);
  }
  const auto response = probe::wait(std::move(answer));
  REQUIRE(response);
  CHECK(response->status == 200);
  CHECK(passed >= std::chrono::milliseconds(2000));
}

TEST_CASE("a refresh token is used once and brings the next") {
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
  CHECK(error_of(refresh(next)) == "400 invalid_grant");
}

TEST_CASE("a refresh token expires") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  server.clock.advance(std::chrono::hours(24 * 30) + std::chrono::seconds(1));
  CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");
}

TEST_CASE("refresh tokens follow each other for a limited time after the sign-in") {
  Server server;
  Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  for (int i = 0; i < 3; ++i) {
    server.clock.advance(std::chrono::hours(24 * 29));
    tokens = tokens_of(refresh(tokens.refresh));
  }
  server.clock.advance(std::chrono::hours(24 * 3) + std::chrono::seconds(1));  // 90 days after the sign-in
  CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");
}

TEST_CASE("JSON at the token endpoint is told to be a form") {
  Server server;
  const auto response = token_response(post(R"({"grant_type":"password","username":"alice"})"));
  CHECK(error_of(response) == "400 invalid_request");
  CHECK(response.body.find("send a form") != std::string::npos);
}

TEST_CASE("names of keys are printable and each once") {
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
  CHECK(json_here(made->body)->root().text("createdBy", "") == "alice@a.example");
}

TEST_CASE("whom a reload takes away or changes, it does so at once") {
  Server server;
  const std::string bob = "grant_type=password&client_id=patchbay-admin&username=bob&password=bob%27s";
  const Tokens tokens = sign_in(bob + "&scope=offline_access");
  CHECK(probe::verify(tokens.access)->role == "user");
  CHECK(server.core.reload(config(users(", role: admin"))));
  CHECK(probe::verify(tokens.access)->role == "admin");
  CHECK(server.core.reload(config(users(", disabled: true"))));
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(error_of(token_response(post(bob))) == "400 invalid_grant");
  CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");
  CHECK(server.core.reload(config()));
  CHECK(probe::verify(tokens.access));
  CHECK(error_of(refresh(tokens.refresh)) == "400 invalid_grant");  // that family has ended
}

TEST_CASE("a token made for an admin ends when the user is none any more") {
  Server server;
  CHECK(server.core.reload(config(users(", role: admin"))));
  const std::string bob = "grant_type=password&client_id=patchbay-admin&username=bob&password=bob%27s";
  const Tokens tokens = sign_in(bob + "&scope=offline_access");
  CHECK(probe::verify(tokens.access)->role == "admin");
  CHECK(server.core.reload(config()));
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(probe::verify(tokens_of(refresh(tokens.refresh)).access)->role == "user");
}

TEST_CASE("another password ends what was signed in with the old one") {
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

TEST_CASE("tokens, keys and refresh tokens outlive a restart") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  const MadeKey key = make_key();
  server.core.restart();
  REQUIRE(server.core.start_error() == "");
  CHECK(probe::verify(tokens.access));
  CHECK(probe::verify(key.key));
  CHECK(refresh(tokens.refresh).status == 200);
}

TEST_CASE("an API key acts as an admin of its tenant until it is revoked") {
  Server server;
  const MadeKey key = make_key("billing");
  CHECK(key.key.size() == 46);
  CHECK(key.key.substr(0, 3) == "ak_");
  const auto who = probe::verify(key.key);
  REQUIRE(who);
  CHECK(who->username == "key:billing");
  CHECK(who->tenant == kTenantA);
  CHECK(who->role == "admin");
  CHECK(who->is_key);
  CHECK(who->is_super);
  CHECK_FALSE(probe::verify("ak_" + std::string(43, 'A')));
  CHECK(remove_key(key.id, kTenantB).status == 404);
  CHECK(remove_key(key.id).status == 200);
  CHECK_FALSE(probe::verify(key.key));
  CHECK(remove_key(key.id).status == 404);
}

TEST_CASE("keys are listed by tenant and page, without the key") {
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
  const auto body = json_here(page->body);
  CHECK((*body)["data"].size() == 2);
  CHECK((*body)["data"].at(0).text("name", "") == "two");
  CHECK((*body)["data"].at(0).text("createdBy", "") == "alice");
  CHECK_FALSE((*body)["data"].at(0)["key"]);
  request.offset = INT64_MAX;
  CHECK(json_here(probe::ask("GET", kKeys, request)->body)->root()["data"].size() == 0);
  request.tenant = kTenantB;
  CHECK(probe::ask("GET", kKeys, request)->total == 0);
}

TEST_CASE("once a revocation is answered, no check that is still to come accepts the key") {
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

TEST_CASE("only an admin's token makes keys, and the operator at the admin socket means the primary tenant") {
  Server server;
  sign_in();  // the routes are there
  for (const auto& route : probe::routes()) {
    if (route.path.find("/admin/keys") != std::string::npos) {
      CHECK(route.role == "admin");
      CHECK(route.oidc_only == (route.method == "POST"));
    } else {
      CHECK(route.role == "none");
    }
  }
  http::Request operator_request;
  operator_request.username = "operator";
  operator_request.surface = "local";
  operator_request.json = R"({"name":"cli"})";
  const auto made = probe::ask("POST", kKeys, operator_request);
  REQUIRE(made);
  CHECK(json_here(made->body)->root().text("tenant", "") == kTenantA);
  operator_request.tenant = "c.example";
  CHECK(probe::ask("POST", kKeys, operator_request)->status == 400);
}

TEST_CASE("neither the store nor the log has a password, a token or a key in clear") {
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

TEST_CASE("discovery and keys are those of the tenant that is asked") {
  Server server;
  http::Request request;
  request.tenant = kTenantB;
  const auto document = probe::ask("GET", "/.well-known/openid-configuration", request);
  REQUIRE(document);
  CHECK(json_here(document->body)->root().text("issuer", "") == "https://b.example");
  request.tenant = "";
  CHECK(json_here(probe::ask("GET", "/.well-known/openid-configuration", request)->body)
            ->root()
            .text("issuer", "") == "https://a.example");
  const auto keys = probe::ask("GET", "/oidc.ashx/jwks", request);
  REQUIRE(keys);
  CHECK(json_here(keys->body)->root()["keys"].size() == 1);
}

TEST_CASE("the operator's own key signs, and a wrong key file is named") {
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
  CHECK(json_here(keys->body)->root()["keys"].at(0).text("kid", "") ==
        "Lt59dsPRfJb5pO6eQs1gWNcjcpuOGleZ7S5lSGgYP8E");
}

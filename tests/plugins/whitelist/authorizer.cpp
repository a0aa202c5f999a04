#include "runtime/manual_clock.h"
#include "whitelist_server.h"

using namespace whitelist_test;

TEST_CASE("503 comes before 401, 401 before 403, 403 before 400") {
  Server server;
  const std::string dave = token("dave", kNoSecret), bob = token("bob", kTenantA);
  for (const std::string& tenant : {std::string(kNoSecret), std::string("unknown.example"), std::string()}) {
    CHECK(send("list", tenant, {}).status == 503);
    CHECK(send("add", tenant, bearer(dave), "x").status == 503);
    CHECK(send("write", tenant, signature("x"), "x").status == 503);
  }
  CHECK(text(send("add", kTenantA, {}, "x")) == R"(401 {"error":"bad signature"})");
  CHECK(text(send("add", kTenantA, signature("x"), "x")) == R"(401 {"error":"bad signature"})");
  CHECK(text(send("add", kTenantA, bearer("x"), "x")) == R"(401 {"error":"bad signature"})");
  CHECK(send("add", kTenantA, bearer("x"), "x").headers.has("WWW-Authenticate"));
  CHECK(send("add", kTenantA, bearer(bob), "x").status == 403);
  CHECK(signed_send("add", "x").status == 400);
}

TEST_CASE("bearers are valid for their own tenant, those of super-admins for all") {
  Server server;
  const std::string alice = token("alice", kTenantA), carol = token("carol", kTenantB);
  CHECK(send("list", kTenantA, bearer(alice)).status == 200);
  CHECK(send("list", kTenantB, bearer(alice)).status == 200);
  CHECK(send("list", kTenantB, bearer(carol)).status == 200);
  CHECK(send("list", kTenantA, bearer(carol)).status == 403);
  CHECK(send("list", kTenantA, authorization("bearer " + alice)).status == 200);
  CHECK(send("list", kTenantA, authorization("Basic " + alice)).status == 401);
  CHECK(send("list", kTenantA, authorization(alice)).status == 401);
  // A correct signature does not make up for a wrong bearer.
  CHECK(send("list", kTenantA,
             {{"authorization", "Bearer x"},
              {"x-platform-admin-signature", sign(kSecretA, "whitelist-list|a.example")}})
            .status == 401);
}

TEST_CASE("a signature is valid for its verb, tenant and body length only") {
  Server server;
  const std::string body = R"({"number":"112"})";
  const std::string length = std::to_string(body.size());
  const auto status = [&](const std::string& canonical, const std::string& secret = kSecretA,
                          const std::string& tenant = kTenantA) {
    return send("add", tenant, signature(sign(secret, canonical)), body).status;
  };
  CHECK(status("whitelist-add|a.example|" + length) == 200);
  CHECK(status("whitelist-add|a.example") == 401);
  CHECK(status("whitelist-add|a.example|" + std::to_string(body.size() + 1)) == 401);
  CHECK(status("whitelist-write|a.example|" + length) == 401);
  CHECK(status("whitelist-list|a.example") == 401);
  CHECK(status("whitelist-add|b.example|" + length) == 401);
  CHECK(status("whitelist-add|a.example|" + length, kSecretB) == 401);
  CHECK(status("whitelist-add|a.example|" + length, kSecretA, kTenantB) == 401);
}

TEST_CASE("after many wrong signatures an address gets 429 for signatures, but not for bearers") {
  core::ManualClock clock;  // stands still, so that no further attempt is allowed meanwhile
  Server server(&clock);
  const std::string alice = token("alice", kTenantA);
  for (int i = 0; i < 100; ++i) CHECK(send("list", kTenantA, signature("00")).status == 401);
  const auto refused = signed_send("list");
  CHECK(refused.status == 429);
  CHECK(refused.headers.has("Retry-After"));
  CHECK(send("list", kTenantA, bearer(alice)).status == 200);
  CHECK(signed_send("list", "", {}, kTenantB, kSecretB).status == 200);
}

TEST_CASE("an Authorization header of another scheme does not hide a correct signature") {
  Server server;
  const std::string right = sign(kSecretA, "whitelist-list|a.example"),
                    wrong = sign(kSecretB, "whitelist-list|a.example");
  const auto with = [](const std::string& authorization, const std::string& signature) {
    return send("list", kTenantA,
                {{"authorization", authorization}, {"x-platform-admin-signature", signature}})
        .status;
  };
  CHECK(with("Basic dXNlcjpwYXNzd29yZA==", right) == 200);
  CHECK(with("Basic", right) == 200);
  CHECK(with("Bearer nonsense", right) == 401);  // the bearer takes precedence
  CHECK(with("Basic dXNlcjpwYXNzd29yZA==", wrong) == 401);
  CHECK(with("Bearer nonsense", wrong) == 401);
}

TEST_CASE("wrong signatures count for the whole /64 of an IPv6 client, and are logged a few times only") {
  core::ManualClock clock;
  Server server(&clock);
  http::Request request;
  request.tenant = kTenantA;
  request.headers = signature(sign(kSecretB, "whitelist-list|a.example"));
  int64_t last = 0;
  for (int i = 0; i < 130; ++i) {
    request.remote = "2001:db8::" + std::to_string(i + 1);
    last = probe::ask("GET", "/signal.ashx", request, "whitelist=list")->status;
  }
  CHECK(last == 429);
  const std::string log = server.core.log();
  size_t lines = 0;
  for (size_t at = 0; (at = log.find("a whitelist request was refused", at)) != std::string::npos; ++at)
    ++lines;
  CHECK(lines >= 20);
  CHECK(lines < 100);
}

TEST_CASE("without identity there are signatures, and bearers get 503") {
  const test::TestServer server(R"(
plugins: {probe: {}, whitelist: {}}
tenants: {a.example: {primary: true, WebPhone: {AdminSharedSecret: "0123456789abcdef01234567"}}}
)",
                                nullptr, {probe::entry()});
  CHECK(server.start_error() == "");
  CHECK(signed_send("list").status == 200);
  CHECK(send("list", kTenantA, bearer("x")).status == 503);
}

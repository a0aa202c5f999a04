#include <doctest/doctest.h>
#include <patchbay/hex.h>
#include <patchbay/services/whitelist.h>
#include <patchbay/store.h>

#include <future>
#include <string>
#include <vector>

#include "crypto/digest.h"
#include "runtime/manual_clock.h"
#include "support/probe_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"
#include "support/test_store.h"

using namespace patchbay;

namespace {

constexpr char kTenantA[] = "a.example", kTenantB[] = "b.example", kNoSecret[] = "c.example";
const std::string kSecretA = "0123456789abcdef01234567", kSecretB = "another secret of 26 bytes";

constexpr char kConfig[] = R"(
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

std::string sign(const std::string& secret, const std::string& text) {
  return to_hex(lib::hmac_sha256(secret, text));
}

// Sends a request with these headers.
http::Response send(const std::string& verb, const std::string& tenant, const NameValues& headers,
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
NameValues signature(const std::string& text) { return {{"x-platform-admin-signature", text}}; }
NameValues authorization(const std::string& text) { return {{"authorization", text}}; }
NameValues bearer(const std::string& token) { return authorization("Bearer " + token); }

// Sends a request with a correct signature.
http::Response signed_send(const std::string& verb, const std::string& body = "",
                           const NameValues& query = {}, const std::string& tenant = kTenantA,
                           const std::string& secret = kSecretA) {
  std::string text = "whitelist-" + verb + "|" + tenant;
  if (verb != "list") text += "|" + std::to_string(body.size());
  return send(verb, tenant, signature("sha256=" + sign(secret, text)), body, query);
}
std::string text(const http::Response& response) {
  return std::to_string(response.status) + " " + response.body;
}

std::string token(const std::string& user, const std::string& tenant) {
  http::Request request;
  request.tenant = tenant;
  request.body =
      Buffer::copy("grant_type=password&client_id=patchbay-admin&username=" + user + "&password=" + user);
  const auto response = probe::ask("POST", "/oidc.ashx/token", request);
  REQUIRE(response);
  const size_t from = response->body.find("\"access_token\":\"") + 16;
  return response->body.substr(from, response->body.find('"', from) - from);
}

bool allowed(const std::string& number, const std::string& tenant = kTenantA) {
  const auto verdict = probe::dial(tenant, number);
  if (!verdict) FAIL(verdict.error().text);
  CHECK((verdict->allowed ? verdict->reason.empty() : verdict->reason == "not whitelisted"));
  CHECK((verdict->allowed || verdict->detail == "no entry; POST /calls adds one itself"));
  return verdict->allowed;
}

}  // namespace

TEST_CASE("a number is added once and keeps its spelling, its place and its comment") {
  Server server;
  CHECK(text(signed_send("list")) == R"(200 {"tenant":"a.example","numbers":[],"count":0})");
  CHECK(
      text(signed_send("add", R"({"number":"+49 30 123456","comment":"Office"})")) ==
      R"(200 {"ok":true,"tenant":"a.example","number":"+49 30 123456","comment":"Office","added":true,"count":1})");
  CHECK(text(signed_send("add", R"({"Number":"112"})")) ==
        R"(200 {"ok":true,"tenant":"a.example","number":"112","comment":"","added":true,"count":2})");
  CHECK(
      text(signed_send("add", R"({"number":"004930123456"})")) ==
      R"(200 {"ok":true,"tenant":"a.example","number":"+49 30 123456","comment":"Office","added":false,"count":2})");
  CHECK(
      text(signed_send("add", R"({"number":"(+49)30/12-34.56","comment":"Reception"})")) ==
      R"(200 {"ok":true,"tenant":"a.example","number":"+49 30 123456","comment":"Reception","added":false,"count":2})");
  CHECK(text(signed_send("list")) ==
        R"(200 {"tenant":"a.example","numbers":[{"number":"+49 30 123456","comment":"Reception"},)"
        R"({"number":"112","comment":""}],"count":2})");
  CHECK(text(signed_send("list", "", {}, kTenantB, kSecretB)) ==
        R"(200 {"tenant":"b.example","numbers":[],"count":0})");
}

TEST_CASE("writing replaces all entries, in order, and keeps the first of equal numbers") {
  Server server;
  signed_send("add", R"({"number":"112"})");
  signed_send("add", R"({"number":"113"})", {}, kTenantB, kSecretB);
  CHECK(text(signed_send("write", R"({"numbers":[{"number":"+492","comment":"b"},{"number":"+491"},)"
                                  R"({"number":"00492","comment":"again"}]})")) ==
        R"(200 {"ok":true,"tenant":"a.example","count":2})");
  CHECK(
      text(signed_send("list")) ==
      R"(200 {"tenant":"a.example","numbers":[{"number":"+492","comment":"b"},{"number":"+491","comment":""}],"count":2})");
  CHECK(signed_send("write", R"({"numbers":[]})").status == 400);
  CHECK(signed_send("write", R"({"numbers":[]})", {{"confirmEmpty", "0"}}).status == 400);
  CHECK(text(signed_send("list")).find("\"count\":2") != std::string::npos);
  CHECK(text(signed_send("write", R"({"numbers":[]})", {{"confirmEmpty", "1"}})) ==
        R"(200 {"ok":true,"tenant":"a.example","count":0})");
  CHECK(text(signed_send("list", "", {}, kTenantB, kSecretB)).find("\"count\":1") != std::string::npos);
}

TEST_CASE("invalid bodies change nothing") {
  Server server;
  for (const char* body :
       {"", "x", "[]", "{}", "null", R"({"number":""})", R"({"number":1})", R"({"number":null})",
        R"({"number":"+49","Number":"+49"})", R"({"number":"+49","number":"+49"})",
        R"({"number":"123456789012345678901234567890123"})", R"({"number":"abc"})", R"({"number":"+49*"})",
        R"({"number":"+4930;phone-context=x"})", R"({"number":"+49@evil"})", R"({"number":"+4930\r\nX: y"})",
        R"({"number":"   "})", R"({"number":"+49","comment":1})", R"({"number":"+49")"}) {
    const auto response = signed_send("add", body);
    CHECK(response.status == 400);
    CHECK(response.body.substr(0, 10) == R"({"error":")");
  }
  for (const char* body : {"", "{}", R"({"numbers":{}})", R"({"numbers":["+49"]})", R"({"numbers":[{}]})",
                           R"({"numbers":[{"number":"+491"},{"number":"x"}]})"})
    CHECK(signed_send("write", body).status == 400);
  CHECK(text(signed_send("list")).find("\"count\":0") != std::string::npos);
}

TEST_CASE("a long comment is cut, and null is no comment") {
  Server server;
  const auto added = signed_send("add", R"({"number":"112","comment":")" + std::string(300, 'x') + "\"}");
  CHECK(added.body.find("\"" + std::string(200, 'x') + "\"") != std::string::npos);
  CHECK(text(signed_send("add", R"({"number":"113","comment":null})")).find(R"("comment":"")") !=
        std::string::npos);
}

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

TEST_CASE("a NUL in a comment is refused with an error about the field, not about the store") {
  Server server;
  const std::string body = R"({"number":"+4930123456","comment":"a\u0000b"})";
  const auto refused =
      send("add", kTenantA,
           signature(sign(kSecretA, "whitelist-add|a.example|" + std::to_string(body.size()))), body);
  CHECK(refused.status == 400);
  CHECK(refused.body.find("comment") != std::string::npos);
  CHECK(refused.body.find("$4") == std::string::npos);
}

TEST_CASE("only listed numbers are dialled, in any spelling") {
  Server server;
  CHECK_FALSE(allowed("+4930123456"));
  signed_send("add", R"({"number":"0049 30 123456"})");
  CHECK(allowed("+4930123456"));
  CHECK(allowed("004930123456"));
  CHECK_FALSE(allowed("+4930123456", kTenantB));
  for (const char* number : {"+493012345", "+49301234567", "4930123456", "030123456", "+4930123456;x=y",
                             "+4930123456@evil.example", "tel:+4930123456", "+49%3030123456", "*", "", "+"})
    CHECK_FALSE(allowed(number));
  signed_send("write", R"({"numbers":[{"number":"112"}]})");
  CHECK_FALSE(allowed("+4930123456"));
}

TEST_CASE("the list outlives a restart and follows a reload of the secret") {
  Server server;
  signed_send("add", R"({"number":"112"})");
  server.core.restart();
  CHECK(allowed("112"));
  CHECK(signed_send("list").status == 200);
  std::string changed = kConfig;
  changed.replace(changed.find(kSecretA), kSecretA.size(), "fresh secret of this tenant");
  CHECK(server.core.reload(changed));
  CHECK(signed_send("list").status == 401);
  CHECK(signed_send("list", "", {}, kTenantA, "fresh secret of this tenant").status == 200);
}

TEST_CASE("another plugin adds a number inside its own transaction") {
  Server server;
  const auto add = [](const std::string& number) {
    auto promise = std::make_shared<test::Promise<std::string>>();
    probe::run([promise, number](const Host& host) {
      auto tx = std::make_shared<Transaction>(host);
      auto gate = std::make_shared<Lease<whitelist::Whitelist>>(Lease<whitelist::Whitelist>::query(host));
      gate->call(
          whitelist::Whitelist::add, {tx->handle(), kTenantA, number, "by a call"},
          [promise, tx, gate](const Result<Empty>& added) {
            if (!added) return promise->set(added.error().text);
            std::move(*tx).commit([promise](const Commit& commit) {
              promise->set(!commit ? commit.error().text : commit.result(0).empty() ? "there" : "added");
            });
          });
    });
    return promise->get().value_or("no answer");
  };
  CHECK(add("+4930123456") == "added");
  CHECK(add("+4930123456") == "there");
  CHECK(allowed("+4930123456"));
  CHECK(add("nonsense") != "added");
  CHECK(text(signed_send("list")).find(R"("count":1)") != std::string::npos);
}

TEST_CASE("changes are logged with their actor and the hash of the body, never the secret") {
  Server server;
  const std::string body = R"({"number":"112"})";
  signed_send("add", body);
  const std::string log = server.core.log();
  CHECK(log.find(to_hex(lib::sha256(body))) != std::string::npos);
  CHECK(log.find("192.0.2.7") != std::string::npos);
  CHECK(log.find(kSecretA) == std::string::npos);
}

TEST_CASE("when the list cannot be read or written, dials are refused and changes are not applied") {
  Server server;
  signed_send("add", R"({"number":"112"})");
  CHECK(allowed("112"));
  REQUIRE(test::run_sql(server.core.data() / "patchbay.db", "DROP TABLE whitelist_entry").ok());
  const auto verdict = probe::dial(kTenantA, "112");
  REQUIRE(verdict);
  CHECK_FALSE(verdict->allowed);
  CHECK(verdict->reason == "the whitelist could not be read");
  CHECK(signed_send("list").status == 500);
  CHECK(text(signed_send("add", R"({"number":"113"})")) ==
        R"(500 {"error":"the whitelist could not be written; the change was not applied"})");
  CHECK(signed_send("write", R"({"numbers":[{"number":"113"}]})").status == 500);
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

namespace {

http::Response remove_number(const std::string& number, const std::string& tenant = kTenantA) {
  http::Request request;
  request.tenant = tenant;
  request.username = "alice";
  request.remote = "192.0.2.7";
  request.params = {{"number", number}};
  auto response = probe::ask("DELETE", "/api.ashx/v1/admin/whitelist/{number}", request);
  if (!response) FAIL(response.error().text);
  return *std::move(response);
}

}  // namespace

TEST_CASE("one number is removed, however it is written") {
  const Server server;
  CHECK(signed_send("add", R"({"number":"+49 (30) 123","comment":"Office"})").status == 200);
  CHECK(signed_send("add", R"({"number":"112"})").status == 200);
  CHECK(text(remove_number("004930123", kTenantB)) ==
        R"(404 {"error":"not_found","error_description":"this number is not on the whitelist"})");
  CHECK(text(remove_number("0049-30.123")) ==
        R"(200 {"deleted":{"number":"+49 (30) 123","comment":"Office"}})");
  CHECK(remove_number("+4930123").status == 404);
  CHECK(remove_number("x").status == 404);
  CHECK(signed_send("list").body ==
        R"({"tenant":"a.example","numbers":[{"number":"112","comment":""}],"count":1})");
}

TEST_CASE("each change of the whitelist has an audit record, and a request that changes nothing none") {
  const Server server;
  CHECK(signed_send("add", R"({"number":"+49 30 123","comment":"Office"})").status == 200);
  CHECK(signed_send("add", R"({"number":"+4930123","comment":"Office"})").status == 200);
  CHECK(signed_send("add", R"({"number":"+4930123"})").status == 200);
  CHECK(signed_send("add", R"({"number":"no number"})").status == 400);
  CHECK(signed_send("add", R"({"number":"+4930123","comment":"Lobby"})").status == 200);
  CHECK(signed_send("write", R"({"numbers":[]})").status == 400);
  CHECK(signed_send("write", R"({"numbers":[{"number":"112"}]})").status == 200);
  CHECK(remove_number("999").status == 404);
  CHECK(remove_number("112").status == 200);
  CHECK(probe::audit_text(4) ==
        "whitelist.added +4930123 - {\"number\":\"+49 30 123\",\"comment\":\"Office\"}\n"
        "whitelist.changed +4930123 {\"number\":\"+49 30 123\",\"comment\":\"Office\"} "
        "{\"number\":\"+49 30 123\",\"comment\":\"Lobby\"}\n"
        "whitelist.replaced  {\"count\":1,\"numbers\":[{\"number\":\"+49 30 123\",\"comment\":\"Lobby\"}]} "
        "{\"count\":1,\"numbers\":[{\"number\":\"112\",\"comment\":\"\"}]}\n"
        "whitelist.removed 112 {\"number\":\"112\",\"comment\":\"\"} -\n");
  const auto records = probe::audited(4);
  REQUIRE(records.size() == 4);
  CHECK(records[0].tenant == kTenantA);
  CHECK(records[0].actor == "shared secret");
  CHECK(records[0].remote == "192.0.2.7");
  CHECK(records[3].actor == "alice");
}

TEST_CASE("a long list is recorded by its length") {
  const Server server;
  std::string body = R"({"numbers":[)";
  for (int i = 0; i < 101; ++i)
    body += (i == 0 ? R"({"number":")" : R"(,{"number":")") + std::to_string(1000 + i) + "\"}";
  CHECK(signed_send("write", body + "]}").status == 200);
  CHECK(signed_send("write", R"({"numbers":[{"number":"112"}]})").status == 200);
  CHECK(probe::audit_text(2) ==
        "whitelist.replaced  {\"count\":0,\"numbers\":[]} {\"count\":101}\n"
        "whitelist.replaced  {\"count\":101} "
        "{\"count\":1,\"numbers\":[{\"number\":\"112\",\"comment\":\"\"}]}\n");
}

TEST_CASE("concurrent changes of one number are recorded with what each of them replaced") {
  const Server server;
  CHECK(signed_send("add", R"({"number":"112","comment":"0"})").status == 200);
  std::vector<std::future<Result<http::Response>>> answers;
  constexpr int kChanges = 8;
  for (int i = 1; i <= kChanges; ++i) {
    http::Request request;
    request.tenant = kTenantA;
    request.listener = "local";
    request.username = "operator";
    request.body = Buffer::copy(R"({"number":"112","comment":")" + std::to_string(i) + "\"}");
    answers.push_back(probe::begin("POST", "/signal.ashx", request, "whitelist=add"));
  }
  for (auto& answer : answers) {
    const auto response = probe::wait(std::move(answer));
    REQUIRE(response);
    CHECK(response->status == 200);
  }
  const auto records = probe::audited(1 + kChanges);
  REQUIRE(records.size() == 1 + kChanges);
  for (size_t i = 1; i < records.size(); ++i) CHECK(records[i].before == records[i - 1].after);
}

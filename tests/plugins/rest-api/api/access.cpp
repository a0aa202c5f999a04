#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api_server.h"
#include "plugins/rest-api/client.h"
#include "runtime/manual_clock.h"

using namespace rest_api_test;

namespace {

uint16_t port_of(const HttpClient& http) {
  const std::string& url = http.base_url();
  return static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

}  // namespace

TEST_CASE("each role has access to its routes") {
  const ApiServer server;
  const auto status = [&](const char* bearer, const char* path) {
    return server.as(bearer, "GET", path).status;
  };
  CHECK(server.http.get("/t/open").status == 200);
  CHECK(status("unknown", "/t/open") == 200);
  CHECK(status("user-a", "/t/user") == 200);
  CHECK(status("user-a", "/t/admin") == 403);
  CHECK(status("admin-a", "/t/admin") == 200);
  CHECK(status("key-a", "/t/admin") == 200);
  CHECK(status("admin-a", "/t/super") == 403);
  CHECK(status("super", "/t/super") == 200);
  CHECK(status("key-a", "/t/no-keys") == 403);
  CHECK(status("admin-a", "/t/no-keys") == 200);
}

TEST_CASE("without a valid bearer the response is 401 and says how to authenticate") {
  const ApiServer server;
  for (const char* header : {"X-None: 1", "Authorization: Basic YTpi", "Authorization: Bearer",
                             "Authorization:", "Authorization: Bearer unknown"}) {
    CAPTURE(header);
    const auto answer = server.http.get("/t/admin", {header});
    CHECK(answer.status == 401);
    const bool shown = has(header, "unknown");  // RFC 6750 3.1: an error only for a request with a bearer
    CHECK(answer.headers.at("www-authenticate") == (shown ? "Bearer error=\"invalid_token\"" : "Bearer"));
    CHECK(has(answer.body, R"({"error":"invalid_token","error_description":)"));
  }
  CHECK(server.http.get("/t/admin", {"Authorization: bearer admin-a"}).status == 200);
  CHECK(server.http.get("/t/admin", {"Authorization: Bearer admin-a", "Authorization: Bearer admin-a"})
            .status == 400);
  CHECK(has(server.as("user-a", "GET", "/t/admin").body, R"("error":"insufficient_role")"));
}

TEST_CASE("an invalid or insufficient bearer is refused before the body is sent") {
  const ApiServer server;
  const auto status = [&](const std::string& bearer) {
    Client client(port_of(server.http));
    client.send("POST /t/checked HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + bearer +
                "\r\nContent-Length: 100000\r\n\r\n");
    const auto answer = client.receive();
    return answer ? answer->status : 0;
  };
  CHECK(status("unknown") == 401);
  CHECK(status("user-a") == 403);
  CHECK(has(server.management.get("/metrics").body, "patchbay_rest_api_body_bytes 0\n"));
  const std::string large = R"({"phone": "+491", "note": ")" + std::string(50'000, 'x') + "\"}";
  CHECK(server.as("admin-a", "POST", "/t/checked", large).status == 200);
  CHECK(server.as("unknown", "POST", "/t/checked", large).status == 401);
}

TEST_CASE("when bearers cannot be checked the answer is 503, or 500 when the check failed") {
  const ApiServer with;
  CHECK(with.as("broken", "GET", "/t/admin").status == 500);
  const auto busy = with.as("busy", "GET", "/t/admin");
  CHECK(busy.status == 503);
  CHECK(has(busy.body, R"("error":"auth_unavailable")"));
  CHECK(busy.headers.count("retry-after") == 1);
  const ApiServer without(R"(
plugins: {rest-api: {listen: "127.0.0.1:0", threads: 1}, echo-plugin: {}}
tenants: {a.example: {primary: true}}
)");
  CHECK(without.http.get("/t/admin").status == 401);
  const auto answer = without.as("admin-a", "GET", "/t/admin");
  CHECK(answer.status == 503);
  CHECK(has(answer.body, R"("error":"auth_unavailable")"));
  CHECK(without.http.get("/t/open").status == 200);
}

TEST_CASE("a super-admin may name another tenant, others may not") {
  const ApiServer server;
  CHECK(has(server.as("super", "GET", "/t/admin?tenant=B.example.").body, R"("tenant":"b.example")"));
  CHECK(has(server.as("super", "GET", "/t/admin").body, R"("tenant":"a.example")"));
  CHECK(server.as("admin-b", "GET", "/t/admin?tenant=a.example").status == 403);
  CHECK(server.as("admin-b", "GET", "/t/admin?tenant=no.example").status == 403);
  CHECK(server.as("admin-b", "GET", "/t/admin?tenant=b.example").status == 200);
  CHECK(server.as("super", "GET", "/t/admin?tenant=no.example").status == 400);
}

TEST_CASE("without authentication the tenant is that of the Host header") {
  const ApiServer server;
  const auto with_host = [&](const std::string& host) {
    return server.http.get("/t/open", {"Host: " + host});
  };
  CHECK(has(with_host("B.Example.:8080").body,
            R"("host":"b.example","listener":"public","tenant":"b.example")"));
  CHECK(has(with_host("c.example").body, R"("tenant":"")"));
}

TEST_CASE("the admin socket passes as super-admin of the tenant it names") {
  const ApiServer server;
  const auto answer = server.admin.get("/t/super");
  CHECK(answer.status == 200);
  CHECK(has(answer.body, R"("host":"","listener":"local","tenant":"a.example","subject":"operator")"));
  CHECK(has(answer.body, R"("username":"operator","role":"admin","is_super":true,"is_key":false)"));
  CHECK(has(server.admin.get("/t/admin?tenant=b.example").body, R"("tenant":"b.example")"));
  CHECK(server.admin.get("/t/admin?tenant=no.example").status == 400);
  CHECK(server.admin.get("/t/no-keys").status == 200);
  CHECK(server.admin.get("/t/local").status == 200);
}

TEST_CASE("listeners serve only their own routes") {
  const ApiServer server;
  CHECK(server.http.get("/t/local").status == 404);
  CHECK(server.http.get("/t/management").status == 404);
  CHECK(server.http.get("/healthz").status == 404);
  CHECK(server.management.get("/t/management").status == 200);
  CHECK(server.management.get("/t/open").status == 404);
  CHECK(server.management.get("/local/plugins").status == 404);
  CHECK(server.admin.get("/t/management").status == 200);
}

TEST_CASE(
    "requests without credentials are limited before anything else, those with a bearer apart from them") {
  const ApiServer server(with_limits("requestsPerSecond: 0.1, burst: 5"));
  for (int i = 0; i < 5; ++i) CHECK(server.http.get("/t/admin").status == 401);
  const auto refused = server.http.get("/t/admin");
  CHECK(refused.status == 429);
  CHECK(refused.headers.count("retry-after") == 1);
  CHECK(server.as("admin-a", "GET", "/t/admin").status == 200);
  CHECK(server.admin.get("/t/admin").status == 200);
  CHECK(has(server.management.get("/metrics").body, "patchbay_rest_api_rate_limited_total 1\n"));
}

TEST_CASE("an Authorization header without a bearer is rate limited as if it were missing") {
  const ApiServer server(with_limits("requestsPerSecond: 0.1, burst: 5"));
  for (int i = 0; i < 5; ++i)
    CHECK(server.http.get("/t/admin", {"Authorization: Basic " + std::to_string(i)}).status == 401);
  CHECK(server.http.get("/t/admin", {"Authorization: Basic x"}).status == 429);
}

TEST_CASE("a large body costs more of the rate than a small one") {
  const ApiServer server(with_limits("requestsPerSecond: 0.1, burst: 30"));
  const std::string large = R"({"phone": "+49", "note": ")" + std::string(100'000, 'x') + "\"}";
  CHECK(server.as("admin-a", "POST", "/t/checked", large).status == 200);
  CHECK(server.as("admin-a", "POST", "/t/checked", large).status == 429);
  CHECK(server.as("admin-a", "POST", "/t/checked", R"({"phone": "+49"})").status == 200);
}

TEST_CASE("anonymous requests do not fill the log: they are summarised whatever their status") {
  patchbay::core::ManualClock clock;
  const ApiServer server(kConfig, &clock);
  for (int i = 0; i < 40; ++i) server.http.get("/t/admin");
  for (int i = 0; i < 10; ++i) server.http.get("/t/open");
  for (int i = 0; i < 10; ++i) server.http.get("/t/unavailable");
  for (int i = 0; i < 40; ++i) server.as("admin-a", "GET", "/t/items/" + std::to_string(i));
  const auto lines = [&](const std::string& part) {
    const std::string log = server.core.log();
    size_t count = 0;
    for (size_t at = log.find(part); at != std::string::npos; at = log.find(part, at + 1)) ++count;
    return count;
  };
  CHECK(lines("path=/t/admin status=401") == 10);
  CHECK(lines("path=/t/items/") == 40);
  CHECK(lines("path=/t/open") == 0);
  CHECK(lines("path=/t/unavailable status") == 0);
  clock.advance(std::chrono::seconds(61));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const std::string summary = "by_status=\"200: 10, 401: 30, 503: 10\"";
  while (lines(summary) == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  CHECK(lines(summary) == 1);
  CHECK(lines("remote=127.0.0.1 requests=50") == 1);
}

TEST_CASE("anonymous requests of many addresses do not fill the log either") {
  patchbay::core::ManualClock clock;
  std::string yaml = kConfig;
  yaml.replace(yaml.find("threads: 1}"), 11, "threads: 1, trustedProxies: [127.0.0.1]}");
  const ApiServer server(yaml, &clock);
  Client client(port_of(server.http));
  for (int address = 0; address < 200; ++address) {
    std::string requests;
    for (int i = 0; i < 10; ++i)
      requests += "GET /t/open HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2." + std::to_string(address) +
                  "\r\n\r\n";
    REQUIRE(client.send(requests));
    for (int i = 0; i < 10; ++i) REQUIRE(client.receive());
  }
  const auto lines = [&](const std::string& part) {
    const std::string log = server.core.log();
    size_t count = 0;
    for (size_t at = log.find(part); at != std::string::npos; at = log.find(part, at + 1)) ++count;
    return count;
  };
  CHECK(lines("path=/t/open") == 1000);
  clock.advance(std::chrono::seconds(61));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (lines("remote=\"other addresses\"") == 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  CHECK(lines("anonymous requests without a log line each") == 51);
  CHECK(lines("remote=\"other addresses\" requests=500 by_status=\"200: 500\"") == 1);
}

TEST_CASE("a flood of unknown bearers of one address is not checked, and known bearers are not delayed") {
  patchbay::core::ManualClock clock;
  const ApiServer server(kConfig, &clock);
  CHECK(server.as("admin-a", "GET", "/t/admin").status == 200);
  const int before = bearers_checked();
  std::vector<std::unique_ptr<Client>> clients;
  for (int c = 0; c < 10; ++c) {
    clients.push_back(std::make_unique<Client>(port_of(server.http)));
    std::string requests;
    for (int i = 0; i < 15; ++i)
      requests += "GET /t/admin HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer guess-" +
                  std::to_string(c * 15 + i) + "\r\n\r\n";
    clients.back()->send(requests);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto refused = [&] {
    return has(server.management.get("/metrics").body, "patchbay_rest_api_rate_limited_total 19\n");
  };
  while (!refused() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  CHECK(refused());  // of 150, 99 are checked at once and 32 wait
  CHECK(has(server.management.get("/metrics").body, "patchbay_rest_api_bearers_waiting 32\n"));
  CHECK(bearers_checked() - before == 99);
  CHECK(server.as("admin-a", "GET", "/t/admin").status == 200);
  clock.advance(std::chrono::milliseconds(1100));
  std::map<int, int> statuses;
  for (const auto& client : clients)
    for (int i = 0; i < 15; ++i)
      if (const auto answer = client->receive()) ++statuses[answer->status];
  CHECK(statuses == std::map<int, int>{{401, 131}, {429, 19}});
  CHECK(bearers_checked() - before == 132);
  CHECK(has(server.management.get("/metrics").body, "patchbay_rest_api_bearers_waiting 0\n"));
}

TEST_CASE("requests that the HTTP server refuses are counted in the metrics") {
  const ApiServer server;
  CHECK(has(server.management.get("/metrics").body, "patchbay_rest_api_refused_total 0\n"));
  for (const char* broken : {"GET /t/open HTTP/1.1\r\n\r\n", "no request at all\r\n\r\n",
                             "POST /t/open HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"}) {
    CAPTURE(std::string(broken));
    Client client(port_of(server.http));
    client.send(broken);
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->status == 400);
  }
  CHECK(server.http.get("/t/open").status == 200);  // is not one of them
  CHECK(has(server.management.get("/metrics").body, "patchbay_rest_api_refused_total 3\n"));
}

TEST_CASE("many guessed bearers are still answered 401, with a delay") {
  const ApiServer server;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) server.as("guess", "GET", "/t/admin");
  const auto last = std::chrono::steady_clock::now();
  std::vector<HttpAnswer> late(12);
  std::vector<std::thread> guesses;
  for (auto& answer : late) guesses.emplace_back([&] { answer = server.as("guess", "GET", "/t/admin"); });
  CHECK(server.as("admin-a", "GET", "/t/admin").status == 200);
  for (auto& guess : guesses) guess.join();
  for (const auto& answer : late) CHECK(answer.status == 401);
  // Unless the first hundred took so long that the throttle did not apply.
  if (last - start < std::chrono::seconds(1))
    CHECK(std::chrono::steady_clock::now() - last > std::chrono::milliseconds(900));
}

TEST_CASE("a client above its rate gets 429 with Retry-After, and others are served") {
  const ApiServer server(with_limits("requestsPerSecond: 0.1, burst: 3"));
  for (int i = 0; i < 3; ++i) CHECK(server.as("admin-a", "GET", "/t/admin").status == 200);
  const auto answer = server.as("admin-a", "GET", "/t/admin");
  CHECK(answer.status == 429);
  CHECK(has(answer.body, R"("error":"rate_limited")"));
  CHECK(std::stoi(answer.headers.at("retry-after")) > 0);
  CHECK(server.as("admin-b", "GET", "/t/admin").status == 200);
  CHECK(server.admin.get("/t/admin").status == 200);
}

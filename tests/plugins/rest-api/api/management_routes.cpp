#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "api_server.h"

using namespace rest_api_test;

TEST_CASE("the management port has health, readiness and metrics") {
  const ApiServer server;
  CHECK(server.management.get("/healthz").status == 200);
  const auto ready = server.management.get("/readyz");
  CHECK(ready.status == 200);
  CHECK(has(ready.body, R"("ready":true)"));
  CHECK(server.http.get("/t/open").status == 200);
  CHECK(server.http.get("/t/fails").status == 500);
  const auto metrics = server.management.get("/metrics");
  CHECK(has(metrics.headers.at("content-type"), "text/plain"));
  CHECK(has(metrics.body, "patchbay_rest_api_requests_total{status=\"5xx\"} 1\n"));
  CHECK(has(metrics.body, "patchbay_rest_api_request_seconds_count"));
  CHECK(has(metrics.body, "patchbay_rest_api_connections"));
}

TEST_CASE("readiness reports whether isolated plugins are contained") {
  const ApiServer without;
  CHECK_FALSE(has(without.management.get("/readyz").body, "\"isolation\""));
  std::string yaml = kConfig;
  yaml.replace(yaml.find("  echo-plugin: {}"), 17, "  echo-plugin: {}\n  whitelist: {isolation: process}");
  const ApiServer with(yaml);
  const auto ready = with.management.get("/readyz");
  CHECK(ready.status == 200);
  CHECK_MESSAGE(has(ready.body, R"("isolation":")"), ready.body);
  CHECK(has(ready.body, R"("whitelist":"running")"));
  CHECK(has(ready.body, R"("refused_routes":[)"));
}

TEST_CASE("the admin socket lists the plugins and is accessible to its owner only") {
  const ApiServer server;
  const auto plugins = server.admin.get("/local/plugins");
  CHECK(plugins.status == 200);
  CHECK(has(plugins.body, "\"rest-api\""));
  struct stat status {};
  REQUIRE(stat(server.core.admin_socket().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("after a restart a stale admin socket is replaced and the ports are bound again") {
  ApiServer server;
  std::filesystem::copy_file(server.core.data() / "listening.json", server.core.data() / "copy.json");
  server.core.restart();
  REQUIRE(server.core.start_error() == "");
  CHECK(HttpClient::of(server.core, "admin").wait_for("GET", "/t/last"));
  CHECK(HttpClient::of(server.core).get("/t/open").status == 200);
}

TEST_CASE("each request has one log line without secrets") {
  const ApiServer server;
  server.http.get("/t/secret/canary-path?key=canary-query", {"Authorization: Bearer canary-bearer"});
  server.as("admin-a", "GET", "/t/items/42?x=canary-query");
  const std::string log = server.core.log();
  CHECK(has(log, "path=/t/secret/{token}"));
  CHECK(has(log, "path=/t/items/42"));
  CHECK(has(log, "user=alice"));
  CHECK_FALSE(has(log, "canary"));
}

TEST_CASE("the log line of a request over the admin socket names the user of the host") {
  const ApiServer server;
  server.admin.get("/t/super");
  CHECK(has(server.core.log(), "user=\"operator uid " + std::to_string(::getuid()) + "\""));
}

TEST_CASE("metrics count connections by listener, closed connections and the memory of bodies") {
  const ApiServer server;
  server.http.get("/t/open");
  const auto metrics = server.management.get("/metrics").body;
  CHECK(has(metrics, "patchbay_rest_api_connections{listener=\"management\"} 1\n"));
  CHECK(has(metrics, "patchbay_rest_api_connections{listener=\"public\"}"));
  for (const char* reason : {"idle", "slow_body", "slow_reader", "address_limit", "no_place"})
    CHECK(
        has(metrics, std::string("patchbay_rest_api_connections_shed_total{reason=\"") + reason + "\"} 0\n"));
  CHECK(has(metrics, "patchbay_rest_api_body_bytes 0\n"));
  CHECK(has(metrics, "patchbay_rest_api_bodies_refused_total 0\n"));
  CHECK(has(metrics, "patchbay_rest_api_bodies_dropped_total 0\n"));
}

TEST_CASE("a memory limit below the body limit is refused with a sentence") {
  const patchbay::test::TestServer core(
      "plugins: {rest-api: {limits: {bodyBytes: 4000000, bodyMemoryBytes: 2000000}}}\n"
      "tenants: {a.example: {primary: true}}\n");
  CHECK(has(core.start_error(), "limits.bodyMemoryBytes must be at least limits.bodyBytes"));
}

TEST_CASE("an invalid listen address is refused with a sentence") {
  const patchbay::test::TestServer core(
      "plugins: {rest-api: {listen: localhost}}\ntenants: {a.example: {primary: true}}\n");
  CHECK(has(core.start_error(), "'localhost' is not a numeric address and a port"));
}

TEST_CASE("a reload changes the tenants and keeps the port") {
  ApiServer server;
  const auto reloaded = server.core.reload(R"(
plugins:
  rest-api: {listen: "127.0.0.1:0", threads: 1}
  fake-auth: {}
  echo-plugin: {}
tenants:
  a.example: {primary: true}
  c.example: {}
)");
  CHECK_MESSAGE(reloaded.ok(), reloaded.error().text);
  CHECK(server.as("super", "GET", "/t/admin?tenant=c.example").status == 200);
  CHECK(server.as("super", "GET", "/t/admin?tenant=b.example").status == 400);
}

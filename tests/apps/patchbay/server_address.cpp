#include "server_address.h"

#include <doctest/doctest.h>

#include <fstream>

#include "admin_client.h"
#include "support/child_process.h"

using namespace patchbay::app;

TEST_CASE("the tenant is the primary one, or the only one") {
  CHECK(primary_tenant("tenants: {A.example.: {}}") == "a.example");
  CHECK(primary_tenant("tenants: {a.example: {}, b.example: {primary: true}}") == "b.example");
  CHECK(primary_tenant("tenants: {a.example: {}, b.example: {}}").empty());
  CHECK(primary_tenant("plugins: {}").empty());
  CHECK(primary_tenant("tenants: [").empty());
}

TEST_CASE("the admin socket is found through the configuration") {
  const patchbay::test::TempFolder folder;
  ServerOptions options;
  options.config_file = folder.file("patchbay.yaml");
  std::ofstream(options.config_file) << "server: {data: here}\ntenants: {a.example: {}}\n";
  auto address = find_server(options);
  REQUIRE(address.ok());
  CHECK(address->socket == folder.file("here/admin.sock"));
  CHECK(address->tenant == "a.example");

  options.socket = "/run/other.sock";
  options.tenant = "b.example";
  address = find_server(options);
  REQUIRE(address.ok());
  CHECK(address->socket == "/run/other.sock");
  CHECK(address->tenant == "b.example");

  std::ofstream(options.config_file) << "server: {date: here}\n";
  CHECK(find_server(options).error().text.find(":1:") != std::string::npos);
}

TEST_CASE("--socket alone reads no configuration") {
  ServerOptions options;
  options.socket = "/run/other.sock";
  const auto address = find_server(options);
  REQUIRE(address.ok());
  CHECK(address->tenant.empty());
}

TEST_CASE("a socket without a server is unavailable, which differs from a refusal") {
  const patchbay::test::TempFolder folder;
  ServerOptions options;
  options.socket = folder.file("none.sock");
  auto client = AdminClient::connect(options);
  REQUIRE(client.ok());
  const auto answer = client->request("GET", "/local/plugins");
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == patchbay::Code::unavailable);
}

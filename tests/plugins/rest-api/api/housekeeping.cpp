#include <chrono>
#include <fstream>
#include <thread>

#include "api_server.h"
#include "runtime/manual_clock.h"
#include "support/self_signed_certificate.h"

using namespace rest_api_test;
using patchbay::core::ManualClock;

namespace {

// Advances the clock by minutes until `holds`; for at most a minute of real time.
template <class F>
bool within_minutes(ManualClock& clock, F holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    clock.advance(std::chrono::seconds(61));
    std::this_thread::yield();
  }
  return false;
}

void write_certificate(const std::filesystem::path& folder) {
  const auto made = patchbay::support::make_certificate();
  std::ofstream(folder / "cert.pem") << made.certificate_pem;
  std::ofstream(folder / "key.pem") << made.key_pem;
}

}  // namespace

TEST_CASE("a route is removed with its handler though no request asks for it") {
  ManualClock clock;
  const ApiServer server(kConfig, &clock);
  REQUIRE(server.http.wait_for("GET", "/t/short-lived"));
  withdraw_short_lived();
  CHECK(within_minutes(clock, [&] { return server.http.ask("OPTIONS", "/t/short-lived").status == 404; }));
  CHECK(server.http.get("/t/open").status == 200);
}

TEST_CASE("an admin socket that was removed is recreated") {
  ManualClock clock;
  const ApiServer server(kConfig, &clock);
  const auto socket = server.core.admin_socket();
  const auto is_served = [&] { return server.admin.get("/local/plugins").status == 200; };
  REQUIRE(is_served());
  std::filesystem::remove(socket);
  CHECK(!is_served());
  CHECK(within_minutes(clock, is_served));
  CHECK((std::filesystem::status(socket).permissions() & std::filesystem::perms::all) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(has(server.core.log(), "the admin socket had been removed and was recreated"));
}

TEST_CASE("readiness and log report an admin socket that cannot be recreated, until it can") {
  ManualClock clock;
  const ApiServer server(kConfig, &clock);
  const auto socket = server.core.admin_socket();
  const auto readiness = [&] { return server.management.get("/readyz"); };
  std::filesystem::remove(socket);
  std::filesystem::create_directory(socket);
  CHECK(within_minutes(clock, [&] { return has(readiness().body, R"("admin_socket":"listener )"); }));
  CHECK(readiness().status == 200);
  CHECK(has(server.core.log(), "the admin socket had been removed and could not be recreated"));
  std::filesystem::remove(socket);
  CHECK(within_minutes(clock, [&] { return server.admin.get("/local/plugins").status == 200; }));
  CHECK(!has(readiness().body, "admin_socket"));
}

TEST_CASE("the public port speaks TLS, and renewed certificates are loaded without a restart") {
  const patchbay::test::TemporaryFolder folder;
  write_certificate(folder.path());
  ManualClock clock;
  const patchbay::test::TestServer core(
      "plugins: {rest-api: {listen: \"127.0.0.1:0\", tls: {cert: " + (folder.path() / "cert.pem").string() +
          ", key: " + (folder.path() / "key.pem").string() + "}}}\ntenants: {a.example: {primary: true}}\n",
      &clock);
  REQUIRE(core.start_error() == "");
  const HttpClient plain = HttpClient::of(core);
  const HttpClient secure("https" + plain.base_url().substr(4));
  CHECK(secure.get("/api.ashx/v1").status == 200);
  CHECK(plain.get("/api.ashx/v1").status == 0);
  const auto read_again = [&] { return has(core.log(), "the certificates were reloaded"); };
  clock.advance(std::chrono::seconds(61));
  CHECK_FALSE(read_again());
  write_certificate(folder.path());
  CHECK(within_minutes(clock, read_again));
  CHECK(secure.get("/api.ashx/v1").status == 200);
}

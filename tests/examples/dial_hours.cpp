#include <doctest/doctest.h>

#include "example.h"
#include "runtime/manual_clock.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"

using namespace patchbay;

namespace {

constexpr int64_t kHourMs = 3'600'000;

std::string yaml(const std::string& quiet) {
  return "plugins: {probe: {}, dial-hours: {}}\ntenants: {a.example: {dial-hours: {quiet: [" + quiet +
         "]}}}\n";
}

std::string verdict(const std::string& tenant, const std::string& number) {
  const auto said = probe::dial(tenant, number);
  if (!said) return said.error().text;
  return said->allowed ? "allowed" : said->reason;
}

}  // namespace

TEST_CASE("dial-hours refuses by the hour of the wall clock, by prefix, across midnight and after a reload") {
  core::ManualClock clock;
  const auto set_hour = [&](int64_t hour) {
    const int64_t now = clock.now_ms();
    clock.set_wall(now - now % (24 * kHourMs) + hour * kHourMs);
  };
  set_hour(23);
  test::TestServer server(yaml("{prefix: \"+49\", from: \"22:00\", to: \"07:00\"}"), &clock,
                          {probe::entry(), test::example("dial-hours")});
  REQUIRE(server.start_error() == "");
  CHECK(verdict("a.example", "+4930123456") == "not at this hour");
  CHECK(verdict("a.example", "+33140000000") == "allowed");
  CHECK(verdict("b.example", "+4930123456") == "allowed");
  set_hour(6);
  CHECK(verdict("a.example", "+4930123456") == "not at this hour");
  set_hour(7);
  CHECK(verdict("a.example", "+4930123456") == "allowed");
  set_hour(21);
  CHECK(verdict("a.example", "+4930123456") == "allowed");

  CHECK(server.reload(yaml("{from: \"20:00\", to: \"21:30\"}")).ok());
  CHECK(verdict("a.example", "+33140000000") == "not at this hour");
  const Status refused = server.reload(yaml("{from: \"8pm\", to: \"21:30\"}"));
  CHECK_FALSE(refused.ok());
}

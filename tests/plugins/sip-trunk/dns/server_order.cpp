#include "dns/server_order.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace patchbay::sip_trunk;

namespace {

Server server(uint16_t priority, uint16_t weight, const char* ip) {
  return {priority, weight, {*patchbay::lib::SocketAddress::parse(ip, 5060)}};
}

}  // namespace

TEST_CASE("servers of a lower priority come first") {
  const Location location{Transport::udp,
                          {server(2, 9, "192.0.2.3"), server(1, 0, "192.0.2.1"), server(1, 0, "192.0.2.2")}};
  const auto ordered = in_order(location, [](uint32_t) { return 0u; });
  REQUIRE(ordered.size() == 3);
  CHECK(ordered[0].ip_text() == "192.0.2.1");
  CHECK(ordered[2].ip_text() == "192.0.2.3");
}

TEST_CASE("servers of one priority are the first one as often as their weights say") {
  const Location location{
      Transport::udp, {server(1, 10, "192.0.2.1"), server(1, 30, "192.0.2.2"), server(1, 60, "192.0.2.3")}};
  std::mt19937 generator(1);
  std::map<std::string, int> first;
  for (int i = 0; i < 10'000; ++i) {
    const auto ordered = in_order(location, [&](uint32_t bound) {
      return std::uniform_int_distribution<uint32_t>(0, bound)(generator);
    });
    REQUIRE(ordered.size() == 3);
    ++first[ordered[0].ip_text()];
  }
  CHECK(std::abs(first["192.0.2.1"] - 1000) < 200);
  CHECK(std::abs(first["192.0.2.2"] - 3000) < 300);
  CHECK(std::abs(first["192.0.2.3"] - 6000) < 300);
}

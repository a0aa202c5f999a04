#include "trunks/resolver.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

constexpr auto kLimit = std::chrono::seconds(30);

Location some_addresses() {
  return {Transport::udp, {{0, 0, {*lib::SocketAddress::parse("192.0.2.1", 5060)}}}};
}

std::future<Result<Location>> ask(Resolver& resolver, const std::string& host) {
  auto promise = std::make_shared<std::promise<Result<Location>>>();
  resolver.resolve({host}, [promise](const Result<Location>& found) { promise->set_value(found); });
  return promise->get_future();
}

}  // namespace

TEST_CASE("numeric hosts need no lookup") {
  Resolver resolver([](const HostQuery&) -> Result<Location> { return Error{Code::failed, "asked"}; });
  auto found = ask(resolver, "192.0.2.7");
  REQUIRE(found.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
  CHECK(found.get()->servers.at(0).addresses.at(0).text() == "192.0.2.7:5060");
}

TEST_CASE("a name is looked up once for all waiting callers, and cached") {
  std::promise<void> gate;
  std::atomic<int> lookups{0};
  Resolver resolver([&lookups, open = gate.get_future().share()](const HostQuery&) -> Result<Location> {
    ++lookups;
    open.wait();
    return some_addresses();
  });
  auto first = ask(resolver, "trunk.example");
  auto second = ask(resolver, "trunk.example");
  CHECK(first.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  gate.set_value();
  REQUIRE(first.wait_for(kLimit) == std::future_status::ready);
  REQUIRE(second.wait_for(kLimit) == std::future_status::ready);
  auto third = ask(resolver, "trunk.example");
  REQUIRE(third.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
  CHECK(third.get().ok());
  CHECK(lookups == 1);
  CHECK(resolver.last_known({"trunk.example"}).ok());
  CHECK_FALSE(resolver.last_known({"other.example"}).ok());
}

TEST_CASE("lookups that hang block neither the caller nor the resolver's destructor") {
  auto gate = std::make_shared<std::promise<void>>();
  {
    Resolver resolver([open = gate->get_future().share()](const HostQuery&) -> Result<Location> {
      open.wait();
      return some_addresses();
    });
    std::vector<std::future<Result<Location>>> waiting;
    for (int i = 0; i < 8; ++i) waiting.push_back(ask(resolver, "host" + std::to_string(i)));
    auto beyond = ask(resolver, "host8");
    CHECK(beyond.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  }
  gate->set_value();
}

TEST_CASE("names beyond the concurrent lookups wait in the queue") {
  std::promise<void> gate;
  Resolver resolver([open = gate.get_future().share()](const HostQuery&) -> Result<Location> {
    open.wait();
    return some_addresses();
  });
  std::vector<std::future<Result<Location>>> waiting;
  for (int i = 0; i < 40; ++i) waiting.push_back(ask(resolver, "host" + std::to_string(i)));
  gate.set_value();
  for (auto& each : waiting) {
    REQUIRE(each.wait_for(kLimit) == std::future_status::ready);
    CHECK(each.get().ok());
  }
}

TEST_CASE("DNS lookups return addresses or the reason of the failure") {
  const auto found = Resolver::dns_lookup({"localhost"});
  REQUIRE(found);
  CHECK(found->servers.at(0).addresses.at(0).text() == "127.0.0.1:5060");
  const auto failed = Resolver::dns_lookup({"no-such-host.invalid"});
  REQUIRE_FALSE(failed);
  CHECK_FALSE(failed.error().text.empty());
}

#include "resolver.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

constexpr auto kLimit = std::chrono::seconds(30);

Addresses some_addresses() { return {*lib::SocketAddress::parse("192.0.2.1", 0)}; }

std::future<Result<Addresses>> ask(Resolver& resolver, const std::string& host) {
  auto promise = std::make_shared<std::promise<Result<Addresses>>>();
  resolver.resolve(host, AF_INET, [promise](const Result<Addresses>& found) { promise->set_value(found); });
  return promise->get_future();
}

}  // namespace

TEST_CASE("numeric hosts need no lookup") {
  Resolver resolver([](const std::string&, int) -> Result<Addresses> {
    return Error{Code::failed, "asked"};
  });
  auto found = ask(resolver, "192.0.2.7");
  REQUIRE(found.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
  CHECK(found.get()->at(0).ip_text() == "192.0.2.7");
}

TEST_CASE("a name is looked up once for all waiting callers, and cached") {
  std::promise<void> gate;
  std::atomic<int> lookups{0};
  Resolver resolver(
      [&lookups, open = gate.get_future().share()](const std::string&, int) -> Result<Addresses> {
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
  CHECK(resolver.last_known("trunk.example", AF_INET).ok());
  CHECK_FALSE(resolver.last_known("other.example", AF_INET).ok());
}

TEST_CASE("lookups that hang block neither the caller nor the resolver's destructor") {
  auto gate = std::make_shared<std::promise<void>>();
  {
    Resolver resolver([open = gate->get_future().share()](const std::string&, int) -> Result<Addresses> {
      open.wait();
      return some_addresses();
    });
    std::vector<std::future<Result<Addresses>>> waiting;
    for (int i = 0; i < 8; ++i) waiting.push_back(ask(resolver, "host" + std::to_string(i)));
    auto beyond = ask(resolver, "host8");
    CHECK(beyond.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  }
  gate->set_value();
}

TEST_CASE("names beyond the concurrent lookups wait in the queue") {
  std::promise<void> gate;
  Resolver resolver([open = gate.get_future().share()](const std::string&, int) -> Result<Addresses> {
    open.wait();
    return some_addresses();
  });
  std::vector<std::future<Result<Addresses>>> waiting;
  for (int i = 0; i < 40; ++i) waiting.push_back(ask(resolver, "host" + std::to_string(i)));
  gate.set_value();
  for (auto& each : waiting) {
    REQUIRE(each.wait_for(kLimit) == std::future_status::ready);
    CHECK(each.get().ok());
  }
}

TEST_CASE("the system resolver returns addresses or the reason of the failure") {
  const auto found = Resolver::system_lookup("localhost", AF_INET);
  REQUIRE(found);
  CHECK(found->at(0).ip_text() == "127.0.0.1");
  const auto failed = Resolver::system_lookup("no-such-host.invalid", AF_INET);
  REQUIRE_FALSE(failed);
  CHECK_FALSE(failed.error().text.empty());
}

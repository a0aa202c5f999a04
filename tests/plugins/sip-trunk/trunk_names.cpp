#include "trunk_names.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "runtime/manual_clock.h"
#include "support/probe.h"
#include "support/server.h"

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

// A DNS that answers what the test says, and names in the probe's hands.
struct Names {
  Names()
      : resolver([this](const std::string&, int) -> Result<Addresses> {
          ++lookups;
          const int last = answer;
          if (last == 0) return Error{Code::unavailable, "no DNS"};
          return Addresses{*lib::SocketAddress::parse("192.0.2." + std::to_string(last), 0)};
        }) {
    on_strand([this](const Host& host) {
      names = std::make_unique<TrunkNames>(host, resolver, AF_INET, [this] { ++changes; });
      names->watch({"trunk.example"});
    });
  }
  ~Names() {
    on_strand([this](const Host&) { names.reset(); });
  }
  void on_strand(const std::function<void(const Host&)>& f) {
    std::promise<Result<int>> done;
    probe::run([&](const Host& host) {
      f(host);
      done.set_value(0);
    });
    CHECK(probe::wait(done.get_future()));
  }
  std::string addresses() {
    std::string text;
    on_strand([&](const Host&) {
      for (const auto& address : names->addresses()) text += address.ip_text() + " ";
    });
    return text;
  }
  // Second by second, until the addresses are these.
  bool comes_to(const std::string& wanted) {
    for (int i = 0; i < 3000; ++i) {
      if (addresses() == wanted) return true;
      clock.advance(std::chrono::seconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  core::ManualClock clock;
  test::TestServer server{"plugins:\n  probe: {}\ntenants: {localhost: {}}\n", &clock, {probe::entry()}};
  std::atomic<int> lookups{0};
  std::atomic<int> answer{0};
  std::atomic<int> changes{0};
  Resolver resolver;
  std::unique_ptr<TrunkNames> names;
};

}  // namespace

TEST_CASE_FIXTURE(Names, "names of trunks are asked for again, and their addresses replaced") {
  CHECK(addresses().empty());
  answer = 1;  // DNS was late
  CHECK(comes_to("192.0.2.1 "));
  answer = 2;  // the trunk has moved
  CHECK(comes_to("192.0.2.2 "));
  answer = 0;
  const int before = lookups;
  for (int i = 0; i < 3000 && lookups == before; ++i) {
    clock.advance(std::chrono::seconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(lookups > before);
  CHECK(addresses() == "192.0.2.2 ");  // the last known ones stay
  CHECK(changes >= 2);
}

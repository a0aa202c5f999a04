// Joins that nobody leaves.
#include <doctest/doctest.h>
#include <patchbay/audio.h>
#include <patchbay/services/audio.h>

#include <thread>

#include "support/probe.h"
#include "support/server.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

class QuietPort final : public AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 8000; }
  uint32_t push_rate_hz() const noexcept override { return 8000; }
  void pull(pb_frame& out) override { out.samples = 0; }
  void push(const pb_frame&) override {}
};

bool wait_joins(TestServer& server, int count) {
  const std::string wanted = "\npatchbay_media_joins " + std::to_string(count) + "\n";
  for (int i = 0; i < 3000; ++i) {
    if (("\n" + server.core().report("metrics")).find(wanted) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("a port can be closed although its join was not left") {
  TestServer server("plugins:\n  media: {}\n  probe: {}\n", nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  QuietPort a, b;
  std::promise<Result<audio::Joined>> joined;
  std::unique_ptr<Service<audio::Audio>> service;
  probe::run([&](const Host& host) {
    service = std::make_unique<Service<audio::Audio>>(host);
    service->call(audio::Audio::join, {a.open(host), b.open(host), "test"},
                  [&](const Result<audio::Joined>& result) { joined.set_value(result); });
  });
  REQUIRE(probe::wait(joined.get_future()));
  CHECK(wait_joins(server, 1));
  std::promise<Result<int>> closed;
  probe::run([&](const Host&) { a.close([&] { closed.set_value(0); }); });
  CHECK(probe::wait(closed.get_future()));
  CHECK(wait_joins(server, 0));
  std::promise<Result<int>> other;
  probe::run([&](const Host&) {
    service.reset();
    b.close([&] { other.set_value(0); });
  });
  CHECK(probe::wait(other.get_future()));
}

// Joins that end without leave().
#include <doctest/doctest.h>
#include <patchbay/audio.h>
#include <patchbay/plugin.h>
#include <patchbay/services/audio.h>
#include <patchbay/strand.h>

#include <atomic>
#include <optional>
#include <thread>

#include "support/linked_plugin.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

class SilentPort final : public AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 8000; }
  uint32_t push_rate_hz() const noexcept override { return 8000; }
  void pull(pb_frame& out) override { out.samples = 0; }
  void push(const pb_frame&) override {}
};

// Opens two ports that other plugins join, and keeps them open after those plugins have ended.
class PortOwner final : public Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "port-owner", "version": "1.0.0"})";
  static constexpr char store_sql[] = "";
  static inline std::atomic<uint64_t> ports[2]{};

  Status start(const Config&) override {
    ports[0] = a_.open(host()).id;
    ports[1] = b_.open(host()).id;
    return {};
  }
  void stop(Done done) override {
    a_.close([this, done = std::move(done)]() mutable {
      b_.close([done = std::move(done)]() mutable { done(); });
    });
  }

 private:
  SilentPort a_, b_;
};

// Joins two ports of another plugin and ends as soon as they are joined.
class BriefCaller final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "brief-caller", "version": "1.0.0", "requires": ["patchbay.audio/1"]})";
  static constexpr char store_sql[] = "";
  static inline std::atomic<bool> joined{false};

  Status start(const Config&) override { return {}; }
  void finish_start(Done done) override {
    done_.emplace(std::move(done));
    try_to_join();
  }

 private:
  void try_to_join() {
    const Handle a{PortOwner::ports[0]}, b{PortOwner::ports[1]};
    if (!a || !b) return later_.after_ms(10, [this] { try_to_join(); });
    audio_.call(audio::Audio::join, {a, b, "test"}, [this](const Result<audio::Joined>& result) {
      joined = result.ok();
      (*done_)({Code::failed, "stops after the join"});
    });
  }

  Service<audio::Audio> audio_{host()};
  Timer later_{host()};
  std::optional<Done> done_;
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

TEST_CASE("a port can be closed while it is joined") {
  TestServer server("plugins:\n  media: {}\n  probe: {}\n", nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  SilentPort a, b;
  std::promise<Result<audio::Joined>> joined;
  std::unique_ptr<Service<audio::Audio>> service;
  probe::run([&](const Host& host) {
    service = std::make_unique<Service<audio::Audio>>(host);
    service->call(audio::Audio::join, {a.open(host), b.open(host), "test"},
                  [&](const Result<audio::Joined>& result) { joined.set_value(result); });
  });
  REQUIRE(probe::wait(joined.get_future()));
  CHECK(wait_joins(server, 1));
  std::promise<Result<int>> a_closed;
  probe::run([&](const Host&) { a.close([&] { a_closed.set_value(0); }); });
  CHECK(probe::wait(a_closed.get_future()));
  CHECK(wait_joins(server, 0));
  std::promise<Result<int>> b_closed;
  probe::run([&](const Host&) {
    service.reset();
    b.close([&] { b_closed.set_value(0); });
  });
  CHECK(probe::wait(b_closed.get_future()));
}

TEST_CASE("a join ends with the plugin that asked for it, although its ports stay open") {
  PortOwner::ports[0] = PortOwner::ports[1] = 0;
  TestServer server("plugins:\n  media: {}\n  port-owner: {}\n  brief-caller: {}\n", nullptr,
                    {&LinkedPlugin<PortOwner>::entry, &LinkedPlugin<BriefCaller>::entry});
  CAPTURE(server.start_error());
  CHECK(server.start_error().find("stops after the join") != std::string::npos);
  CHECK(BriefCaller::joined);
  CHECK(wait_joins(server, 0));
  CHECK(server.core().report("metrics").find("\npatchbay_media_joins_abandoned_total 1\n") !=
        std::string::npos);
  CHECK(server.core().stop().ok());
}

#include "plugins/plugin_runner.h"

#include <doctest/doctest.h>
#include <patchbay/strand.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/manual_clock.h"
#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"
#include "support/within.h"

// Read by ThreadSanitizer only: a core that could not stop keeps its threads, because a plugin still runs on
// them.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_suppressions();  // NOLINT
extern "C" const char* __tsan_default_suppressions() {
  return "thread:patchbay::core::Runtime::Runtime\nthread:patchbay::core::Executor::stalled\n";
}

namespace {

using namespace patchbay;
using patchbay::Strand;
using patchbay::test::LinkedPlugin;
using patchbay::test::Promise;
using patchbay::test::TestServer;

std::atomic<int> alive{0};
std::atomic<bool> hold{false};     // the plugin's code waits while it is set
std::atomic<bool> holding{false};  // it waits now
std::atomic<int> ended_waits{0};

void wait_while_held() {
  holding = true;
  while (hold) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ++ended_waits;
}

struct Counted : Plugin {
  static constexpr char store_sql[] = "";
  Counted() { ++alive; }
  ~Counted() override { --alive; }
  Status start(const Config&) override { return {}; }
};

struct Slow final : Counted {
  static constexpr char manifest[] = R"({"id": "slow", "version": "1.0.0"})";
  Status start(const Config&) override {
    return post_worker(host(), [] { wait_while_held(); });
  }
};

struct Hangs final : Counted {
  static constexpr char manifest[] = R"({"id": "hangs", "version": "1.0.0", "provides": ["test.hangs/1"]})";
  Status start(const Config&) override {
    wait_while_held();
    return {};
  }
};

struct Needs final : Counted {
  static constexpr char manifest[] = R"({"id": "needs", "version": "1.0.0", "requires": ["test.hangs/1"]})";
};

struct LateThrower final : Counted {
  static constexpr char manifest[] = R"({"id": "late-thrower", "version": "1.0.0"})";
  void finish_start(Done) override { throw std::runtime_error("boom"); }
};

// Posts its answer as a task of its strand, and then throws.
struct ThrowsAfterPosting final : Counted {
  static constexpr char manifest[] = R"({"id": "throws-after-posting", "version": "1.0.0"})";
  void finish_start(Done done) override {
    post(host(), kMainStrand, [done = std::move(done)]() mutable { done(); });
    throw std::runtime_error("boom");
  }
};

struct HalfMade final : Counted {
  static constexpr char manifest[] = R"({"id": "half-made", "version": "1.0.0"})";
  static inline std::atomic<int> fired{0};
  HalfMade() {
    host().runtime->timer_start(
        host().self, kMainStrand, PB_CLOCK_MONO, host().mono_ns() + 3'600'000'000'000,
        [](void*) noexcept { ++fired; }, nullptr);
    throw std::runtime_error("no");
  }
};

// Leaves a timer behind that arms itself again on a strand that the plugin created.
struct Ticker final : Counted {
  static constexpr char manifest[] = R"({"id": "ticker", "version": "1.0.0"})";
  static inline std::atomic<int> fired{0};
  static inline std::atomic<bool> destroyed{false};
  static inline std::atomic<int> fired_late{0};
  Status start(const Config&) override {
    strand_ = host().runtime->strand_create(host().self, to_abi("own"));
    arm();
    return {};
  }
  ~Ticker() override {
    destroyed = true;
    // Gives late callbacks time to reach the object while it is being destroyed.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  void arm() {
    host().runtime->timer_start(
        host().self, strand_, PB_CLOCK_MONO, 0,
        [](void* self) noexcept {
          ++fired;
          if (destroyed) {
            ++fired_late;
            return;
          }
          static_cast<Ticker*>(self)->arm();
        },
        this);
  }
  uint64_t strand_ = 0;
};

struct Busy final : Counted {
  static constexpr char manifest[] = R"({"id": "busy", "version": "1.0.0",
      "config": {"plugin": {"type": "object", "properties": {"hold": {"type": "string", "default": ""}}}}})";
  Status check_config(const Config& config) override {
    if (config.plugin().text("hold", "") == "check") wait_while_held();
    return {};
  }
  void reconfigure(const Config& config) override {
    if (config.plugin().text("hold", "") == "take") wait_while_held();
  }
};

// Blocks on many strands.
struct Stuck final : Counted {
  static constexpr char manifest[] = R"({"id": "stuck", "version": "1.0.0"})";
  Status start(const Config&) override {
    for (int i = 0; i < 30; ++i) {
      strands_.push_back(std::make_unique<Strand>(host(), "call"));
      strands_.back()->post([] { wait_while_held(); });
    }
    return {};
  }
  std::vector<std::unique_ptr<Strand>> strands_;
};

struct Well final : Counted {
  static constexpr char manifest[] = R"({"id": "well", "version": "1.0.0"})";
  static inline std::atomic<bool> stopped{false};
  void stop(Done done) override {
    stopped = true;
    done();
  }
};

void be_short(CoreOptions& options) { options.start_deadline_ms = 3000; }

std::string yaml(const std::string& plugins) {
  return "plugins: {" + plugins + "}\ntenants: {localhost: {}}\n";
}

struct Held {
  Held() {
    hold = true;
    holding = false;
    ended_waits = 0;
  }
  ~Held() { hold = false; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
};

}  // namespace

TEST_CASE("a plugin whose worker job still runs is not destroyed, and stop reports it") {
  alive = 0;
  {
    const Held held;
    {
      TestServer server(yaml("slow: {}"), nullptr, {&LinkedPlugin<Slow>::entry}, {}, be_short);
      REQUIRE(within(std::chrono::seconds(60), [] { return holding.load(); }));
      const Status stopped = server.core().stop();
      REQUIRE(!stopped.ok());
      CHECK(stopped.error().text.find("slow: it was not destroyed") != std::string::npos);
      CHECK(stopped.error().text.find("1 worker job") != std::string::npos);
      CHECK(alive == 1);
    }
    CHECK(alive == 1);
  }
  CHECK(within(std::chrono::seconds(60), [] { return ended_waits == 1; }));
}

TEST_CASE("a plugin that blocks on many strands does not keep others, or the core, from stopping") {
  Well::stopped = false;
  const Held held;
  {
    TestServer server(yaml("well: {}, stuck: {}"), nullptr,
                      {&LinkedPlugin<Well>::entry, &LinkedPlugin<Stuck>::entry}, {},
                      [](CoreOptions& options) {
                        options.start_deadline_ms = 5000;
                        options.stall_ms = 16;
                      });
    CHECK(server.start_error() == "");
    REQUIRE(within(std::chrono::seconds(60), [] { return holding.load(); }));
    const Status stopped = server.core().stop();
    REQUIRE(!stopped.ok());
    CHECK(stopped.error().text.find("stuck: ") != std::string::npos);
    CHECK(stopped.error().text.find("well: ") == std::string::npos);
    CHECK(Well::stopped);
  }
}

TEST_CASE("a start that times out has a reason, and plugins that require it are refused") {
  const Held held;
  TestServer server(yaml("needs: {}, hangs: {}"), nullptr,
                    {&LinkedPlugin<Needs>::entry, &LinkedPlugin<Hangs>::entry}, {}, be_short);
  CHECK(server.start_error() ==
        "hangs not started: start timed out after 3000 ms\n"
        "needs not started: it needs test.hangs/1, whose provider hangs did not start; fix that first");
  const std::string plugins = server.core().report("plugins");
  CHECK(plugins.find(R"("state":"failed","reason":"start timed out after 3000 ms")") != std::string::npos);
  CHECK(server.core().report("ready") == R"({"ready":false,"plugins":{"hangs":"failed","needs":"failed"}})");
}

TEST_CASE("while a plugin starts, those still to come are known and the server is not ready") {
  hold = true;
  holding = false;
  std::string ready;
  std::string plugins;
  std::unique_ptr<Core> core;
  Promise<bool> created;
  std::atomic<bool> over{false};
  test::TemporaryFolder folder;
  std::thread control([&] {
    CoreOptions options;
    options.config_text =
        "server: {data: \"" + folder.path().string() + "\"}\n" + yaml("hangs: {}, needs: {}");
    options.linked_plugins = {&LinkedPlugin<Needs>::entry, &LinkedPlugin<Hangs>::entry};
    options.environment.emplace();
    auto made = Core::create(std::move(options));
    CHECK(made.ok());
    if (made) core = std::move(*made);
    created.set(made.ok());
    if (core) CHECK(core->start().ok());
    over = true;
  });
  CHECK(created.get(std::chrono::seconds(60)) == true);
  CHECK(within(std::chrono::seconds(60), [] { return holding.load(); }));
  if (core) {
    ready = core->report("ready");
    plugins = core->report("plugins");
  }
  hold = false;
  control.join();
  CHECK(over);
  CHECK(ready == R"({"ready":false,"plugins":{"hangs":"starting","needs":"idle"}})");
  CHECK(plugins.find(R"("state":"starting","reason":"it has not answered start yet")") != std::string::npos);
  if (core) CHECK(core->report("ready").find(R"("ready":true)") != std::string::npos);
}

TEST_CASE("a plugin that throws while it finishes its start has not started") {
  TestServer server(yaml("late-thrower: {}"), nullptr, {&LinkedPlugin<LateThrower>::entry});
  CHECK(server.start_error() == "late-thrower not started: it threw an exception; the log says which");
  CHECK(server.log().find("boom") != std::string::npos);
}

TEST_CASE("a plugin that throws after it posted its answer has not started either") {
  TestServer server(yaml("throws-after-posting: {}"), nullptr, {&LinkedPlugin<ThrowsAfterPosting>::entry});
  CHECK(server.start_error() ==
        "throws-after-posting not started: it threw an exception; the log says which");
}

TEST_CASE("what a plugin registered before its constructor threw is released") {
  HalfMade::fired = 0;
  core::ManualClock clock;
  TestServer server(yaml("half-made: {}"), &clock, {&LinkedPlugin<HalfMade>::entry});
  CHECK(server.start_error() == "half-made not started: no");
  CHECK(server.log().find("1 timer") != std::string::npos);
  clock.advance(std::chrono::hours(2));
  static_cast<void>(server.core().stop());
  CHECK(HalfMade::fired == 0);
}

TEST_CASE("nothing that a plugin has registered calls it once it is destroyed") {
  Ticker::fired = 0;
  Ticker::destroyed = false;
  Ticker::fired_late = 0;
  {
    TestServer server(yaml("ticker: {}"), nullptr, {&LinkedPlugin<Ticker>::entry});
    REQUIRE(within(std::chrono::seconds(60), [] { return Ticker::fired > 10; }));
    CHECK(server.core().stop().ok());
  }
  CHECK(Ticker::fired_late == 0);
}

TEST_CASE("a plugin that was too slow to check a configuration is stopped and destroyed like any other") {
  alive = 0;
  {
    TestServer server(yaml("busy: {}"), nullptr, {&LinkedPlugin<Busy>::entry}, {}, be_short);
    {
      const Held held;
      const Status refused = server.reload(yaml("busy: {hold: check}"));
      REQUIRE(!refused.ok());
      CHECK(refused.error().text == "busy: check_config timed out after 3000 ms");
    }
    REQUIRE(within(std::chrono::seconds(60), [] { return ended_waits == 1; }));
    CHECK(server.core().stop().ok());
  }
  CHECK(alive == 0);
}

TEST_CASE("a reload reports a plugin that has not applied it in time") {
  TestServer server(yaml("busy: {}"), nullptr, {&LinkedPlugin<Busy>::entry}, {}, be_short);
  const Held held;
  const Status late = server.reload(yaml("busy: {hold: take}"));
  REQUIRE(!late.ok());
  CHECK(late.error().code == Code::timeout);
  CHECK(late.error().text.find("busy: reconfigure timed out after 3000 ms") != std::string::npos);
}

// An engine whose thread is stuck, and sessions whose listener has ended.
#include "engine/engine_host.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <optional>

#include "engine/async_session.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"
#include "support/within.h"

using namespace patchbay;
using namespace patchbay::lib;
using patchbay::test::TestServer;

namespace {

constexpr std::chrono::seconds kPatience(40);
constexpr int64_t kNever = 3'600'000;

// Stays silent.
class Conversation {
 public:
  static constexpr int kOutputRateHz = 16000;
  // `stick`: future that the thread waits for in its first callback; invalid: none.
  Conversation(SessionListener& listener, std::shared_future<void> stick)
      : listener_(listener), stick_(std::move(stick)) {}
  lib::CallbackGate& gate() { return gate_; }
  void push_audio(const int16_t*, size_t) noexcept {}
  size_t pull_audio(int16_t* out, size_t count) noexcept {
    std::fill_n(out, count, int16_t{0});
    return 0;
  }
  size_t pull_first_audio(int16_t*, size_t) noexcept { return 0; }
  void start() {
    gate_.run([this] {
      listener_.on_ready("");
      if (stick_.valid()) stick_.wait();
    });
  }
  void begin() {}
  void push_text(const std::string&, bool) {}
  void tool_result(const std::string&, const std::string&) {}
  void farewell() {}
  void close() {
    gate_.run([this] { listener_.on_closed({1000, "", false, true}); });
  }
  void cancel() {}

 private:
  SessionListener& listener_;
  const std::shared_future<void> stick_;
  lib::CallbackGate gate_;
};

class QuietEngine final : public Engine {
 public:
  explicit QuietEngine(std::atomic<bool>& gone) : gone_(gone) {}
  ~QuietEngine() override { gone_ = true; }
  const char* name() const override { return "quiet"; }
  bool matches(std::string_view) const override { return true; }
  Result<std::unique_ptr<Session>> open(lib::IoThread& io, SessionConfig,
                                        SessionListener& listener) override {
    return std::unique_ptr<Session>(
        std::make_unique<AsyncSession<Conversation>>(io, std::make_shared<Conversation>(listener, stick)));
  }

  std::shared_future<void> stick;  // for the sessions opened later

 private:
  std::atomic<bool>& gone_;
};

// Runs f(host) on the strand of the plugin that owns the engine.
template <class F>
void on_strand(F f) {
  std::promise<Result<int>> done;
  probe::run([&](const Host& host) {
    f(host);
    done.set_value(0);
  });
  REQUIRE(probe::wait(done.get_future()));
}

struct Fixture {
  explicit Fixture(size_t threads = 1) : io("quiet", threads) {}
  void start(const StallLimits& limits) {
    REQUIRE(server.start_error() == "");
    on_strand([&](const Host& host) {
      auto made = std::make_unique<QuietEngine>(engine_gone);
      engine = made.get();
      engine_host.emplace(host, io, std::move(made), "quiet", false, limits);
      provide_listener(host);
      service = Lease<engine::Engine>::open(host, engine_host->handle());
    });
  }
  ~Fixture() {
    let_go();
    on_strand([&](const Host&) {
      service = {};
      engine_host.reset();
      listener.reset();
    });
  }
  // Ends the previous listener.
  void provide_listener(const Host& host) {
    listener.emplace(host);
    listener->on(engine::Listener::ready, [](const engine::Ready&) -> Result<Empty> { return Empty{}; })
        .on(engine::Listener::closed, [this](const engine::Closed& what) -> Result<Empty> {
          const std::lock_guard lock(mutex);
          closed.push_back(what);
          return Empty{};
        });
  }
  // The first thread is stuck in its next task until let_go().
  void hold() {
    io[0].post([wait = held.get_future().share()] { wait.wait(); });
  }
  void let_go() {
    if (!std::exchange(let_go_, true)) held.set_value();
  }
  Result<engine::Opened> open() {
    std::promise<Result<engine::Opened>> opened;
    engine::Open request;
    on_strand([&](const Host&) {
      request.listener = listener->handle();
      service.call(engine::Engine::open, request,
                   [&](const Result<engine::Opened>& result) { opened.set_value(result); });
    });
    return probe::wait(opened.get_future());
  }
  // Returns the argument of stop()'s done(...), or nothing after a timeout.
  std::optional<bool> stop() {
    std::promise<Result<bool>> stopped;
    auto result = stopped.get_future();
    on_strand([&](const Host&) { engine_host->stop([&](bool works) { stopped.set_value(works); }); });
    if (result.wait_for(kPatience) != std::future_status::ready) return {};
    return *result.get();
  }
  bool wait_closed(size_t count) {
    return within(kPatience, [&] {
      const std::lock_guard lock(mutex);
      return closed.size() >= count;
    });
  }
  double metric(const std::string& name) {
    const std::string all = server.core().report("metrics");
    const size_t at = all.find("\n" + name + "{engine=\"quiet\"} ");
    return at == std::string::npos ? -1 : std::strtod(all.c_str() + all.find(' ', at + name.size()), nullptr);
  }

  TestServer server{"plugins:\n  probe: {}\n", nullptr, {probe::entry()}};
  std::atomic<bool> engine_gone{false};
  lib::IoThreads io;
  std::promise<void> held;
  bool let_go_ = false;
  QuietEngine* engine = nullptr;
  std::optional<EngineHost> engine_host;
  std::optional<Provision<engine::Listener>> listener;
  Lease<engine::Engine> service;
  std::mutex mutex;
  std::vector<engine::Closed> closed;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "an engine whose thread is stuck refuses calls until the thread responds again") {
  start({.poll_ms = 10, .stall_ms = 200, .give_up_ms = kNever, .stop_ms = kNever});
  CHECK(within(kPatience, [&] { return open().ok(); }));
  hold();
  CHECK(within(kPatience, [&] { return !open().ok(); }));
  const auto refused = open();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::unavailable);
  CHECK(refused.error().text.find("its thread is stuck") != std::string::npos);
  CHECK(metric("patchbay_engine_stalls_total") >= 1);
  CHECK(metric("patchbay_engine_lag_seconds") > 0);
  CHECK(server.log().find("the engine's thread is stuck and gets no new calls") != std::string::npos);
  CHECK(closed.empty());
  let_go();
  CHECK(within(kPatience, [&] { return open().ok(); }));
  CHECK(server.log().find("the engine's thread responds again") != std::string::npos);
  CHECK(stop() == true);
}

TEST_CASE_FIXTURE(Fixture, "the calls of a thread that stays stuck fail") {
  start({.poll_ms = 10, .stall_ms = 200, .give_up_ms = 400, .stop_ms = kNever});
  CHECK(within(kPatience, [&] { return open().ok(); }));
  hold();
  REQUIRE(wait_closed(1));
  CHECK(closed[0].failed);
  CHECK(closed[0].retryable);
  CHECK(closed[0].reason == "the AI engine does not respond: its thread is stuck");
  CHECK(within(kPatience, [&] { return metric("patchbay_engine_sessions") == 0; }));
  let_go();
  CHECK(stop() == true);
  CHECK(closed.size() == 1);
}

TEST_CASE("a stuck thread fails its own calls only, and new calls go to another thread") {
  Fixture one(2);
  one.start({.poll_ms = 10, .stall_ms = 200, .give_up_ms = 400, .stop_ms = kNever});
  REQUIRE(one.open().ok());
  CHECK(one.io.size() == 1);
  one.hold();
  REQUIRE(one.wait_closed(1));
  CHECK(one.open().ok());
  CHECK(one.io.size() == 2);
  CHECK(one.open().ok());
  CHECK(within(kPatience, [&] { return one.metric("patchbay_engine_sessions") == 2; }));
  CHECK(one.metric("patchbay_engine_stalls_total") == 1);
  one.let_go();
  CHECK(one.stop() == true);
  CHECK(one.wait_closed(3));
  CHECK_FALSE(one.closed[1].failed);
  CHECK_FALSE(one.closed[2].failed);
}

TEST_CASE("stop waits for each thread, and does not wait for one that is stuck") {
  Fixture one(2);
  one.start({.poll_ms = 10, .stall_ms = 200, .give_up_ms = kNever, .stop_ms = 1000});
  one.hold();
  CHECK(within(kPatience, [&] { return one.open().ok() && one.io.size() == 2; }));
  CHECK(one.stop() == false);
  CHECK(one.server.log().find("the engine's thread is stuck and is leaked") != std::string::npos);
  on_strand([&](const Host&) { one.engine_host.reset(); });
  CHECK_FALSE(one.engine_gone);
  one.let_go();
  one.io.drain();  // its tasks use nothing that was destroyed
  delete one.engine;
}

TEST_CASE_FIXTURE(Fixture, "a session whose listener has ended is closed, before and after begin") {
  start({.poll_ms = 10, .stall_ms = kNever, .give_up_ms = kNever, .stop_ms = kNever});
  for (const bool begun : {false, true}) {
    CAPTURE(begun);
    const auto opened = open();
    REQUIRE(opened);
    CHECK(within(kPatience, [&] { return metric("patchbay_engine_sessions") == 1; }));
    on_strand([&](const Host& host) {
      if (begun) Lease<engine::Session>::open(host, opened->session).send(engine::Session::begin, {});
      provide_listener(host);
    });
    CHECK(within(kPatience, [&] { return metric("patchbay_engine_sessions") == 0; }));
  }
  CHECK(stop() == true);
}

TEST_CASE_FIXTURE(Fixture, "stop waits until a thread that responds has run all its tasks") {
  start({});
  REQUIRE(open().ok());
  CHECK(stop() == true);
  REQUIRE(wait_closed(1));
  CHECK_FALSE(closed[0].failed);
  CHECK_FALSE(engine_gone);
}

TEST_CASE("stop does not wait for a stuck thread, and does not destroy what the thread may still use") {
  for (bool has_session : {true, false}) {
    CAPTURE(has_session);
    Fixture one;
    one.start({.poll_ms = 10, .stall_ms = kNever, .give_up_ms = kNever, .stop_ms = 200});
    if (has_session) REQUIRE(one.open().ok());
    one.hold();
    CHECK(one.stop() == false);
    CHECK(one.server.log().find("the engine's thread is stuck and is leaked") != std::string::npos);
    if (has_session) CHECK(one.wait_closed(1));
    on_strand([&](const Host&) { one.engine_host.reset(); });
    CHECK_FALSE(one.engine_gone);
    one.let_go();
    one.io.drain();  // its tasks use nothing that was destroyed
    delete one.engine;
    CHECK(one.closed.size() == (has_session ? 1 : 0));
  }
}

TEST_CASE("a thread that does not return from a callback blocks neither the close of its session nor stop") {
  Fixture one;
  one.start({.poll_ms = 10, .stall_ms = 200, .give_up_ms = 400, .stop_ms = 200});
  one.engine->stick = one.held.get_future().share();
  REQUIRE(one.open().ok());
  REQUIRE(one.wait_closed(1));
  CHECK(within(kPatience, [&] { return one.metric("patchbay_engine_sessions") == 0; }));
  CHECK(one.server.log().find("the engine's thread does not return from a callback") != std::string::npos);
  CHECK(one.stop() == false);
  on_strand([&](const Host&) { one.engine_host.reset(); });
  CHECK_FALSE(one.engine_gone);
  one.let_go();
  one.io.drain();  // the callback returns into the leaked session
  delete one.engine;
  CHECK(one.closed.size() == 1);
}

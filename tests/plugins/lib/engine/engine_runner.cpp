#include "engine/engine_runner.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "support/probe_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

using namespace patchbay;
using namespace patchbay::lib;
using namespace patchbay::test;

namespace {

class NoEngine final : public Engine {
 public:
  const char* name() const override { return "none"; }
  bool matches(std::string_view) const override { return false; }
  Result<std::unique_ptr<Session>> open(IoThread&, SessionConfig, SessionListener&) override {
    return Error{Code::unsupported, "no sessions"};
  }
};

template <class F>
void on_probe_strand(F f) {
  std::promise<Result<int>> done;
  probe::run([&](const Host& host) {
    f(host);
    done.set_value(0);
  });
  REQUIRE(probe::wait(done.get_future()));
}

struct RunnerFixture {
  RunnerFixture() {
    REQUIRE(server.start_error() == "");
    on_probe_strand([this](const Host& host) {
      runner.emplace(host, "no-engine", "none", false, [this](IoThreads& threads) {
        io = &threads;
        auto made = std::make_unique<NoEngine>();
        engine = made.get();
        return made;
      });
    });
  }
  ~RunnerFixture() {
    on_probe_strand([this](const Host&) { runner.reset(); });
  }
  // Returns the result of the plugin's stop.
  std::optional<Status> stop() {
    const pb_done done{sizeof(pb_done), 0, &stopped, &RunnerFixture::answer};
    on_probe_strand([&](const Host&) { runner->stop(Done(&done)); });
    return stopped.get(std::chrono::seconds(40));
  }
  static void answer(void* self, int32_t status, const pb_err* err) noexcept {
    static_cast<Promise<Status>*>(self)->set(status == PB_OK ? Status()
                                                             : Status(static_cast<Code>(status), err->text));
  }

  TestServer server{"plugins:\n  probe: {}\n", nullptr, {probe::entry()}};
  Promise<Status> stopped;
  IoThreads* io = nullptr;
  Engine* engine = nullptr;
  std::optional<EngineRunner> runner;
};

}  // namespace

TEST_CASE_FIXTURE(RunnerFixture, "stopping an engine whose thread responds succeeds") {
  const auto status = stop();
  REQUIRE(status);
  CHECK(status->ok());
}

TEST_CASE_FIXTURE(
    RunnerFixture,
    "stopping an engine whose thread is stuck returns an error and does not destroy what the thread uses") {
  std::promise<void> held;
  (*io)[0].post([wait = held.get_future().share()] { wait.wait(); });
  const auto status = stop();
  REQUIRE(status);
  CHECK(status->error().code == Code::timeout);
  CHECK(status->error().text == "the thread of the AI engine is stuck");
  on_probe_strand([this](const Host&) { runner.reset(); });
  held.set_value();
  io->drain();  // the leaked thread still works
  delete engine;
  delete io;
}

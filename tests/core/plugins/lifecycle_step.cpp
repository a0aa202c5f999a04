// One step of a plugin's life and its answers, first and later ones.
#include "plugins/lifecycle_step.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "abi/subsystems.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using namespace patchbay::core;
using namespace std::chrono_literals;

class Twice final : public HostObserver {
 public:
  void answered_twice(HostContext&, const char* step) noexcept override { steps.emplace_back(step); }

  std::vector<std::string> steps;
};

struct StepHarness {
  StepHarness() {
    Subsystems::Options options;
    options.log.file = "/dev/null";
    options.data_folder = folder.path();
    options.observer = &observer;
    subsystems = *Subsystems::create(std::move(options));
    context = std::make_unique<HostContext>(subsystems->services(), "step");
  }
  ~StepHarness() {
    context->release_all();
    subsystems->services().runtime.wait_idle(60s);
  }

  test::TemporaryFolder folder;
  Twice observer;
  std::unique_ptr<Subsystems> subsystems;
  std::unique_ptr<HostContext> context;
};

}  // namespace

TEST_CASE("a step is answered once, and a second answer is reported") {
  StepHarness harness;
  const auto step = LifecycleStep::ask(*harness.context, "stop", [](LifecycleStep& asked) {
    const pb_done done = asked.done();
    done.call(done.self, PB_E_DENIED, nullptr);
    done.call(done.self, PB_OK, nullptr);
  });
  const auto answer = step->wait(60s);
  REQUIRE(answer);
  CHECK(answer->error().code == Code::denied);
  CHECK(harness.subsystems->services().runtime.wait_idle(60s));
  CHECK(step->has_returned());
  CHECK(harness.observer.steps == std::vector<std::string>{"stop"});
}

TEST_CASE("an answer to an abandoned step is ignored") {
  StepHarness harness;
  pb_done late{};
  {
    const auto step =
        LifecycleStep::ask(*harness.context, "drain", [&](LifecycleStep& asked) { late = asked.done(); });
    CHECK(harness.subsystems->services().runtime.wait_idle(60s));
    CHECK_FALSE(step->wait(0ms));
  }
  late.call(late.self, PB_OK, nullptr);
  CHECK(harness.observer.steps.empty());
}

TEST_CASE("the main strand closes behind what was queued, and takes no step afterwards") {
  StepHarness harness;
  bool ran = false;
  harness.context->main_strand()->post([&] { ran = true; });
  const auto closed = LifecycleStep::close_main_strand(*harness.context);
  REQUIRE(closed->wait(60s));
  CHECK(ran);
  const auto refused =
      LifecycleStep::ask(*harness.context, "start", [](LifecycleStep& asked) { asked.answer({}); });
  const auto answer = refused->wait(60s);
  REQUIRE(answer);
  CHECK(answer->error().code == Code::gone);
}

TEST_CASE("a step runs on an executor thread, though a thread of the plugin runs its main strand") {
  StepHarness harness;
  struct Asked {
    StepHarness& harness;
    std::shared_ptr<LifecycleStep> step;
    std::thread::id guest, ran_on;
  } asked{harness, nullptr, std::this_thread::get_id(), {}};
  const auto ask = [](void* raw) {
    auto& self = *static_cast<Asked*>(raw);
    CHECK(std::this_thread::get_id() == self.guest);
    self.step = LifecycleStep::ask(*self.harness.context, "destroy", [&self](LifecycleStep& step) {
      self.ran_on = std::this_thread::get_id();
      step.answer({});
    });
  };
  CHECK(harness.context->main_strand()->run_bounded(ask, &asked) == Code::ok);
  REQUIRE(asked.step);
  REQUIRE(asked.step->wait(60s));
  CHECK(asked.ran_on != std::thread::id());
  CHECK(asked.ran_on != asked.guest);
}

// One step of a plugin's life and its answers, first and later ones.
#include "plugins/plugin_step.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "abi/subsystems.h"
#include "support/server.h"

namespace {

using namespace patchbay;
using namespace patchbay::core;
using namespace std::chrono_literals;

class Twice final : public HostObserver {
 public:
  void answered_twice(HostContext&, const char* step) noexcept override { steps.emplace_back(step); }

  std::vector<std::string> steps;
};

struct Home {
  Home() {
    Subsystems::Options options;
    options.log.file = "/dev/null";
    options.data_folder = folder.path();
    options.observer = &observer;
    subsystems = *Subsystems::create(std::move(options));
    context = std::make_unique<HostContext>(subsystems->services(), "step");
  }
  ~Home() {
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
  Home home;
  const auto step = PluginStep::ask(*home.context, "stop", [](PluginStep& asked) {
    const pb_done done = asked.done();
    done.call(done.self, PB_E_DENIED, nullptr);
    done.call(done.self, PB_OK, nullptr);
  });
  const auto answer = step->wait(60s);
  REQUIRE(answer);
  CHECK(answer->error().code == Code::denied);
  CHECK(home.subsystems->services().runtime.wait_idle(60s));
  CHECK(step->has_returned());
  CHECK(home.observer.steps == std::vector<std::string>{"stop"});
}

TEST_CASE("an answer to a step that was given up finds nothing") {
  Home home;
  pb_done late{};
  {
    const auto step =
        PluginStep::ask(*home.context, "drain", [&](PluginStep& asked) { late = asked.done(); });
    CHECK(home.subsystems->services().runtime.wait_idle(60s));
    CHECK_FALSE(step->wait(0ms));
  }
  late.call(late.self, PB_OK, nullptr);
  CHECK(home.observer.steps.empty());
}

TEST_CASE("the main strand closes behind what was queued, and takes no step afterwards") {
  Home home;
  bool ran = false;
  home.context->main_strand()->post([&] { ran = true; });
  const auto closed = PluginStep::close_main_strand(*home.context);
  REQUIRE(closed->wait(60s));
  CHECK(ran);
  const auto refused = PluginStep::ask(*home.context, "start", [](PluginStep& asked) { asked.answer({}); });
  const auto answer = refused->wait(60s);
  REQUIRE(answer);
  CHECK(answer->error().code == Code::gone);
}

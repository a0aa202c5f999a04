#include <patchbay/plugin.h>

#include <memory>
#include <optional>
#include <utility>

#include "engine/engine_runner.h"
#include "local_engine.h"
#include "read_settings.h"

namespace patchbay::engine_local {
namespace {

class EngineLocal final : public Plugin {
  Status start(const Config& config) override {
    const Settings settings = Settings::read(config);
    Options options;
    options.json = lib::JsonParser(host());
    options.recogniser.workers = recognisers_ = settings.recognisers;
    options.recogniser.unload_after = settings.unload_after;
    // The first call loads them; the other engines' calls do not need them.
    if (const Status found = check_models(options.recogniser.model_dir); !found)
      log().warn("calls to this engine will fail", {{"why", found.error().text}});
    runner_.emplace(host(), "engine-local", "local embedded", false, [&](lib::IoThreads& io) {
      auto engine = std::make_unique<LocalEngine>(io, std::move(options));
      engine_ = engine.get();
      return engine;
    });
    return {};
  }
  Status check_config(const Config& config) override {
    if (runner_ && Settings::read(config).recognisers != recognisers_)
      return {Code::unsupported, "recognisers changes only by a restart"};
    return {};
  }
  void reconfigure(const Config& config) override {
    engine_->set_unload_after(Settings::read(config).unload_after);
  }
  void stop(Done done) override { runner_->stop(std::move(done)); }

  int recognisers_ = 0;
  LocalEngine* engine_ = nullptr;  // of runner_
  std::optional<lib::EngineRunner> runner_;
};

}  // namespace
}  // namespace patchbay::engine_local

PATCHBAY_PLUGIN(patchbay::engine_local::EngineLocal)

#include <patchbay/plugin.h>

#include <memory>
#include <optional>
#include <utility>

#include "config.h"
#include "engine/engine_runner.h"
#include "gemini_engine.h"

namespace patchbay::engine_gemini {
namespace {

class EngineGemini final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY_VALUE(Options options, read_settings(config));
    options.json = lib::JsonSource(host());
    runner_.emplace(host(), "engine-gemini", "gemini-", true, [&](lib::IoThread& io) {
      auto engine = std::make_unique<GeminiEngine>(io, std::move(options));
      engine_ = engine.get();
      return engine;
    });
    return {};
  }
  Status check_config(const Config& config) override {
    const auto settings = read_settings(config);
    return settings ? Status() : Status(settings.error());
  }
  // For calls from now on.
  void reconfigure(const Config& config) override {
    auto options = read_settings(config);
    if (!options) return;
    options->json = lib::JsonSource(host());
    engine_->set_options(*std::move(options));
  }
  void stop(Done done) override { runner_->stop(std::move(done)); }

  GeminiEngine* engine_ = nullptr;  // the runner's
  std::optional<lib::EngineRunner> runner_;
};

}  // namespace
}  // namespace patchbay::engine_gemini

PATCHBAY_PLUGIN(patchbay::engine_gemini::EngineGemini)

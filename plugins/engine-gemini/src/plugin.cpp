#include <patchbay/plugin.h>

#include <memory>
#include <optional>
#include <utility>

#include "engine/engine_runner.h"
#include "gemini_engine.h"
#include "read_settings.h"

namespace patchbay::engine_gemini {
namespace {

class EngineGemini final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY_VALUE(const Settings settings, Settings::read(config));
    runner_.emplace(host(), "engine-gemini", "gemini-", true, [&](lib::IoThreads&) {
      auto engine = std::make_unique<GeminiEngine>(make_options(settings));
      engine_ = engine.get();
      return engine;
    });
    return {};
  }
  Status check_config(const Config& config) override {
    const auto settings = Settings::read(config);
    return settings ? Status() : Status(settings.error());
  }
  // Applies to calls that start later.
  void reconfigure(const Config& config) override {
    if (const auto settings = Settings::read(config)) engine_->set_options(make_options(*settings));
  }
  void stop(Done done) override { runner_->stop(std::move(done)); }

  Options make_options(const Settings& settings) const {
    Options options;
    options.json = lib::JsonParser(host());
    options.url = settings.url;
    options.ca_file = settings.ca_file;
    options.setup_timeout_ms = settings.setup_ms;
    options.silence_ms = settings.silence_ms;
    options.reconnect.budget_ms = settings.resume_ms;
    return options;
  }

  GeminiEngine* engine_ = nullptr;  // owned by runner_
  std::optional<lib::EngineRunner> runner_;
};

}  // namespace
}  // namespace patchbay::engine_gemini

PATCHBAY_PLUGIN(patchbay::engine_gemini::EngineGemini)

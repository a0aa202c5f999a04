#include <patchbay/plugin.h>

#include <memory>
#include <utility>

#include "calls/routes.h"
#include "calls/scheduler.h"
#include "config.h"
#include "engine_registry.h"

namespace patchbay::ai_voice {
namespace {

class AiVoice final : public Plugin {
  Status start(const Config& config) override {
    settings_ = Settings(config);
    parts_ = std::make_unique<Parts>(host(), settings_);
    parts_->conversation.on(
        engine::Conversation::add_engine, [this](const engine::AddEngine& request) -> Result<Empty> {
          PB_TRY(parts_->engines.add(request));
          log().info("engine added", {{"engine", request.name}, {"models", request.models}});
          return Empty{};
        });
    PB_TRY(parts_->conversation.publish());
    parts_->scheduler.start();
    parts_->routes.open();
    return {};
  }
  Status check_config(const Config&) override { return {}; }
  void reconfigure(const Config& config) override { settings_ = Settings(config); }
  void drain(Done done) override {
    parts_->routes.drain();
    parts_->scheduler.drain(std::move(done));
  }
  void stop(Done done) override { parts_->scheduler.stop(std::move(done)); }

  struct Parts {
    Parts(const Host& host, const Settings& settings)
        : table(host),
          scheduler(host, table, engines, settings),
          routes(host, table, engines, settings, scheduler),
          conversation(host) {}
    CallTable table;
    EngineRegistry engines;
    Scheduler scheduler;
    CallRoutes routes;
    Provision<engine::Conversation> conversation;
  };

  Settings settings_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace
}  // namespace patchbay::ai_voice

PATCHBAY_PLUGIN(patchbay::ai_voice::AiVoice)

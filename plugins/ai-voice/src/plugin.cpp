#include <patchbay/plugin.h>
#include <patchbay/services/call_limits.h>
#include <patchbay/strand.h>

#include <functional>
#include <memory>
#include <utility>

#include "end_writer.h"
#include "engine_registry.h"
#include "inbound/inbound_answerer.h"
#include "outbound/limits.h"
#include "outbound/outcome_mail.h"
#include "outbound/retention.h"
#include "outbound/routes.h"
#include "outbound/scheduler.h"
#include "read_settings.h"

namespace patchbay::ai_voice {
namespace {

class AiVoice final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY(Settings::check(config));
    settings_ = Settings::read(config);
    PB_TRY_VALUE(lib::Owner owner, lib::Owner::read(host()));
    parts_ = std::make_unique<Parts>(host(), settings_, std::move(owner));
    parts_->registry.on(engine::EngineRegistry::add_engine,
                        [this](const engine::AddEngine& request) { return add_engine(request); });
    PB_TRY(parts_->registry.publish());
    parts_->limits.on(call_limits::CallLimits::reached,
                      [this](const call_limits::Question& question) { return reached_limit(question); });
    PB_TRY(parts_->limits.publish());
    parts_->scheduler.start();
    parts_->inbound.start();
    parts_->outcome_mail.start();
    parts_->routes.open();
    parts_->retention.start();
    no_engine_.after_ms(kEngineRegistrationMs, [this] { report_no_engine(); });
    return {};
  }
  Status check_config(const Config& config) override { return Settings::check(config); }
  void reconfigure(const Config& config) override { settings_ = Settings::read(config); }
  void drain(Done done) override {
    parts_->routes.drain();
    const auto both = after_both(std::move(done));
    parts_->scheduler.drain([both] { both(); });
    parts_->inbound.drain([both] { both(); });
  }
  void stop(Done done) override {
    parts_->outcome_mail.stop();
    const auto both = after_both(std::move(done));
    parts_->scheduler.stop([both] { both(); });
    parts_->inbound.stop([both] { both(); });
  }

  // Calls done() when it was called for calls of both directions.
  static std::function<void()> after_both(Done done) {
    struct Pending {
      Done done;
      int count = 2;
    };
    return [pending = std::make_shared<Pending>(Pending{std::move(done)})] {
      if (--pending->count == 0) pending->done();
    };
  }

  Result<Empty> add_engine(const engine::AddEngine& request) {
    EndWatch ended(host(), request.engine, [this, engine = request.engine, name = request.name] {
      parts_->engines.set_ended(engine, host().mono_ns());
      log().info("engine ended", {{"engine", name}});
    });
    PB_TRY(parts_->engines.add(request, std::move(ended)));
    log().info("engine added", {{"engine", request.name}, {"models", request.models}});
    return Empty{};
  }

  Result<call_limits::Reached> reached_limit(const call_limits::Question& question) const {
    const TenantSettings* settings = settings_.tenant(question.tenant);
    if (settings == nullptr) return {Code::not_found, "no such tenant"};
    const StartLimit limit = parts_->scheduler.reached_limit(question.tenant, *settings);
    return call_limits::Reached{limit.text, (limit.pause_ns + 999'999) / 1'000'000};
  }

  // Warns once after the start if there is no engine, because every call would be refused.
  void report_no_engine() {
    if (!parts_->engines.empty()) return;
    log().warn(
        "no AI engine is running, so no call can be made; add `engine-gemini:` or `engine-local:` to "
        "`plugins:`");
  }

  struct Parts {
    Parts(const Host& host, const Settings& settings, lib::Owner owner)
        : store(host, owner),
          inbound_store(host, std::move(owner)),
          metrics(host),
          end_writer(host, metrics),
          scheduler(host, store, engines, settings, metrics, end_writer, inbound_use),
          inbound(host, inbound_store, engines, settings, metrics, end_writer, scheduler, inbound_use),
          outcome_mail(host, store),
          routes(host, store, engines, settings, scheduler, metrics),
          retention(host, store, settings, metrics),
          registry(host),
          limits(host) {}
    CallStore store;
    InboundStore inbound_store;
    CallMetrics metrics;
    EngineRegistry engines;
    EndWriter end_writer;
    InboundUse inbound_use;
    Scheduler scheduler;
    InboundAnswerer inbound;
    OutcomeMail outcome_mail;
    CallRoutes routes;
    Retention retention;
    Provision<engine::EngineRegistry> registry;
    Provision<call_limits::CallLimits> limits;
  };

  Settings settings_;
  std::unique_ptr<Parts> parts_;
  Timer no_engine_{host()};
};

}  // namespace
}  // namespace patchbay::ai_voice

PATCHBAY_PLUGIN(patchbay::ai_voice::AiVoice)

#include <dlfcn.h>
#include <patchbay/plugin.h>

#include <memory>
#include <utility>
#include <vector>

#include "calls/retention.h"
#include "calls/routes.h"
#include "calls/scheduler.h"
#include "config.h"
#include "engine_host.h"
#include "engine_registry.h"
#include "gemini/gemini_engine.h"
#include "local/local_engine.h"
#include "websocket/io_thread.h"

namespace patchbay::ai_voice {
namespace {

// For a thread that may come back into this library at any time.
void keep_code_loaded() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&keep_code_loaded), &info) == 0) return;
  static_cast<void>(::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE));
}

class AiVoice final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY(check_settings(config));
    settings_ = Settings(config);
    parts_ = std::make_unique<Parts>(host(), settings_);
    parts_->conversation.on(
        engine::Conversation::add_engine, [this](const engine::AddEngine& request) -> Result<Empty> {
          PB_TRY(parts_->engines.add(request));
          log().info("engine added", {{"engine", request.name}, {"models", request.models}});
          return Empty{};
        });
    PB_TRY(parts_->conversation.publish());
    add_own_engines(config.plugin()["engines"]);
    parts_->scheduler.start();
    parts_->routes.open();
    parts_->retention.start();
    return {};
  }
  Status check_config(const Config& config) override { return check_settings(config); }
  void reconfigure(const Config& config) override { settings_ = Settings(config); }
  void drain(Done done) override {
    parts_->routes.drain();
    parts_->scheduler.drain([done = std::make_shared<Done>(std::move(done))] { (*done)(); });
  }
  // Calls end before the engines under them.
  void stop(Done done) override {
    parts_->scheduler.stop([this, done = std::make_shared<Done>(std::move(done))] {
      stop_engines([done](const Status& status) { (*done)(status); });
    });
  }

  // One thread for each engine: an engine that keeps its thread cannot stop another one.
  struct OwnEngine {
    explicit OwnEngine(const char* thread) : io(std::make_unique<lib::IoThread>(thread)) {}
    std::unique_ptr<lib::IoThread> io;
    std::unique_ptr<EngineHost> host;
  };

  void add_own_engines(JsonView settings) {
    const JsonView remote = settings["gemini-live"];
    gemini::Options options;
    options.json = JsonSource(host());
    if (const auto url = remote.text("url", ""); !url.empty()) options.url = url;
    options.ca_file = remote.text("caFile", "");
    options.recovery.budget_ms = static_cast<int>(remote.integer("resumeMs", options.recovery.budget_ms));
    options.setup_timeout_ms = static_cast<int>(remote.integer("setupMs", options.setup_timeout_ms));
    OwnEngine& gemini = own_engine("ai-gemini-live");
    add_engine(gemini, std::make_unique<gemini::GeminiEngine>(*gemini.io, std::move(options)), "gemini-",
               true);

    local::Options offline;
    offline.json = JsonSource(host());
    offline.recogniser.workers = static_cast<int>(settings["local"].integer("recognisers", 2));
    OwnEngine& local = own_engine("ai-local");
    add_engine(local, std::make_unique<local::LocalEngine>(*local.io, std::move(offline)), "local embedded",
               false);
  }
  OwnEngine& own_engine(const char* thread) {
    return *own_engines_.emplace_back(std::make_unique<OwnEngine>(thread));
  }
  void add_engine(OwnEngine& own, std::unique_ptr<Engine> engine, const char* models, bool key_required) {
    own.host = std::make_unique<EngineHost>(host(), *own.io, std::move(engine), models, key_required);
    const Status added = parts_->engines.add(own.host->registration());
    if (!added) log().error("an engine was refused", {{"why", added.error().text}});
  }
  // A thread that is stuck cannot be ended: it stays, with its engine and this library, until the process
  // ends.
  void stop_engines(Function<void(const Status&)> done) {
    struct Stopping {
      size_t left;
      Status status;
      Function<void(const Status&)> done;
    };
    // Shared by the engines' ends.
    auto stopping = std::make_shared<Stopping>(Stopping{own_engines_.size(), {}, std::move(done)});
    for (const auto& each : own_engines_) {
      each->host->stop([stopping, own = each.get()](bool thread_works) {
        if (!thread_works) {
          keep_code_loaded();
          static_cast<void>(own->io.release());  // NOLINT(bugprone-unused-return-value)
          stopping->status = {Code::timeout, "the thread of an AI engine is stuck"};
        }
        if (--stopping->left == 0) stopping->done(stopping->status);
      });
    }
  }

  struct Parts {
    Parts(const Host& host, const Settings& settings)
        : table(host),
          metrics(host),
          scheduler(host, table, engines, settings, metrics),
          routes(host, table, engines, settings, scheduler, metrics),
          retention(host, table, settings, metrics),
          conversation(host) {}
    CallTable table;
    CallMetrics metrics;
    EngineRegistry engines;
    Scheduler scheduler;
    CallRoutes routes;
    Retention retention;
    Provision<engine::Conversation> conversation;
  };

  Settings settings_;
  std::vector<std::unique_ptr<OwnEngine>> own_engines_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace
}  // namespace patchbay::ai_voice

PATCHBAY_PLUGIN(patchbay::ai_voice::AiVoice)

// VoiceEngine: registers an AI engine with patchbay.engines, again each time a provider appears. Create and
// destroy it on the main strand.
//
//   engine::VoiceEngine engine_{host(), "parrot", "parrot-",
//                               [this](const engine::Open& open) { return open_session(open); }};
#pragma once

#include <string>

#include "../log.h"
#include "engine.h"

namespace patchbay::engine {

class VoiceEngine {
 public:
  // models: prefixes of the model names that it serves, separated by spaces. handler(Open) -> Result<Opened>,
  // or handler(Open, Reply<Opened>), runs on the main strand.
  template <class F>
  VoiceEngine(const Host& host, std::string name, std::string models, F handler, bool key_required = false)
      : host_(&host),
        name_(std::move(name)),
        models_(std::move(models)),
        key_required_(key_required),
        engine_(host),
        registry_(host) {
    engine_.on(Engine::open, std::move(handler));
    registry_.on_change([this](bool up) {
      if (up && !withdrawn_) announce();
    });
  }
  // The engine's instance, for plugins that pass it on themselves.
  Handle handle() { return engine_.handle(); }
  // Withdraws the engine: no further session is opened.
  void withdraw() {
    withdrawn_ = true;
    engine_.withdraw();
  }

 private:
  void announce() {
    registry_.call(EngineRegistry::add_engine, {name_, models_, key_required_, engine_.handle()},
                   [log = Log(*host_), name = name_](const Result<Empty>& done) {
                     if (!done)
                       log.error("an engine was refused", {{"engine", name}, {"why", done.error().text}});
                   });
  }

  const Host* host_;
  std::string name_;
  std::string models_;
  bool key_required_;
  bool withdrawn_ = false;
  Provision<Engine> engine_;
  Service<EngineRegistry> registry_;
};

}  // namespace patchbay::engine

// EngineHost: offers one of our own engines (engine.h) to the conversations, the way any plugin's engine is
// offered (patchbay/services/engine.h).
#pragma once

#include <patchbay/plugin.h>
#include <patchbay/services/engine.h>

#include <map>
#include <memory>
#include <string>

#include "engine.h"

namespace patchbay::ai_voice {

class EngineSession;

// Main strand only.
class EngineHost {
 public:
  // `models`: prefixes, separated by spaces.
  EngineHost(const Host& host, std::unique_ptr<Engine> engine, std::string models, bool key_required);
  ~EngineHost();

  engine::AddEngine registration();
  // Closes what is open; done() when no session is left: then it may be destroyed.
  void stop(Function<void()> done);

 private:
  Result<engine::Opened> open(const engine::Open& request);
  void ended(int64_t id);

  // borrowed
  const Host& host_;
  // owned
  const std::unique_ptr<Engine> engine_;
  const std::string models_;
  const bool key_required_;
  Provision<engine::Engine> service_;
  std::map<int64_t, std::unique_ptr<EngineSession>> sessions_;
  int64_t last_id_ = 0;
  Function<void()> stopped_;
};

}  // namespace patchbay::ai_voice

// EngineRegistry: selects the engine that serves a model. Main strand only.
#pragma once

#include <patchbay/services/engine.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::ai_voice {

struct RegisteredEngine {
  std::string name;
  std::vector<std::string> models;  // prefixes
  bool key_required = true;
  Handle engine;
};

class EngineRegistry {
 public:
  // How long after the start a call waits for its engine, because engine plugins start after ai-voice.
  static constexpr int64_t kRegistrationMs = 30'000;

  // Replaces an engine of the same name. Error invalid: name, models or handle is missing.
  Status add(const engine::AddEngine& request);
  // Returns the engine with the longest prefix of `model`; nullptr if none matches.
  const RegisteredEngine* find(std::string_view model) const;
  bool empty() const noexcept { return engines_.empty(); }

 private:
  std::vector<RegisteredEngine> engines_;
};

}  // namespace patchbay::ai_voice

// EngineRegistry: which engine serves which model. Main strand only.
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
  // After a start, how long the engines' plugins may take to make them known; they start after ai-voice.
  static constexpr int64_t kPatienceMs = 30'000;

  // Replaces an engine of the same name. invalid: nothing to serve.
  Status add(const engine::AddEngine& request);
  // The one with the longest prefix of `model`; nullptr when there is none.
  const RegisteredEngine* find(std::string_view model) const;
  bool empty() const noexcept { return engines_.empty(); }

 private:
  std::vector<RegisteredEngine> engines_;
};

}  // namespace patchbay::ai_voice

// EngineRegistry: selects the engine that serves a model. Main strand only.
#pragma once

#include <patchbay/end_watch.h>
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
  int64_t ended_ns = 0;  // by the monotonic clock; 0 while the engine can be used
};

class EngineRegistry {
 public:
  // Replaces an engine of the same name. Error invalid: name, models or handle is missing. `ended` is the
  // watch that calls set_ended().
  Status add(const engine::AddEngine& request, EndWatch ended);
  // The engine was withdrawn or its plugin has ended. Calls for its models are still accepted.
  void set_ended(Handle engine, int64_t now_ns);
  // Returns the engine with the longest prefix of `model`, which may have ended; nullptr if none matches.
  const RegisteredEngine* find(std::string_view model) const;
  bool empty() const noexcept { return engines_.empty(); }
  // For messages: the prefixes of the models, "gemini-, local-"; "": there is no engine.
  std::string model_names() const;

 private:
  struct Entry {
    RegisteredEngine engine;
    EndWatch ended;
  };
  std::vector<Entry> engines_;
};

}  // namespace patchbay::ai_voice

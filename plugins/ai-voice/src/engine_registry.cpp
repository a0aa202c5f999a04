#include "engine_registry.h"

#include <algorithm>
#include <sstream>

namespace patchbay::ai_voice {

Status EngineRegistry::add(const engine::AddEngine& request, EndWatch ended) {
  RegisteredEngine engine{request.name, {}, request.key_required, request.engine};
  std::istringstream words(request.models);
  for (std::string prefix; words >> prefix;) engine.models.push_back(prefix);
  if (engine.name.empty() || engine.models.empty() || !engine.engine) {
    return {Code::invalid, "an engine needs a name, models and a handle"};
  }
  const auto same = std::find_if(engines_.begin(), engines_.end(),
                                 [&](const Entry& each) { return each.engine.name == engine.name; });
  if (same != engines_.end()) {
    *same = {std::move(engine), std::move(ended)};
  } else {
    engines_.push_back({std::move(engine), std::move(ended)});
  }
  return {};
}

void EngineRegistry::set_ended(Handle engine, int64_t now_ns) {
  for (Entry& each : engines_)
    if (each.engine.engine.id == engine.id) each.engine.ended_ns = now_ns;
}

const RegisteredEngine* EngineRegistry::find(std::string_view model) const {
  const RegisteredEngine* best = nullptr;
  size_t longest = 0;
  for (const Entry& entry : engines_) {
    const RegisteredEngine& each = entry.engine;
    for (const std::string& prefix : each.models) {
      if (!model.starts_with(prefix) || (best != nullptr && prefix.size() <= longest)) continue;
      best = &each;
      longest = prefix.size();
    }
  }
  return best;
}

std::string EngineRegistry::model_names() const {
  std::string all;
  for (const Entry& entry : engines_)
    for (const std::string& prefix : entry.engine.models) all.append(all.empty() ? "" : ", ").append(prefix);
  return all;
}

}  // namespace patchbay::ai_voice

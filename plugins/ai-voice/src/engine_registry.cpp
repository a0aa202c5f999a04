#include "engine_registry.h"

#include <algorithm>
#include <sstream>

namespace patchbay::ai_voice {

Status EngineRegistry::add(const engine::AddEngine& request) {
  RegisteredEngine entry{request.name, {}, request.key_required, request.engine};
  std::istringstream words(request.models);
  for (std::string prefix; words >> prefix;) entry.models.push_back(prefix);
  if (entry.name.empty() || entry.models.empty() || !entry.engine) {
    return {Code::invalid, "an engine needs a name, models and a handle"};
  }
  const auto same = std::find_if(engines_.begin(), engines_.end(),
                                 [&](const RegisteredEngine& each) { return each.name == entry.name; });
  if (same != engines_.end()) {
    *same = std::move(entry);
  } else {
    engines_.push_back(std::move(entry));
  }
  return {};
}

const RegisteredEngine* EngineRegistry::find(std::string_view model) const {
  const RegisteredEngine* best = nullptr;
  size_t longest = 0;
  for (const RegisteredEngine& each : engines_) {
    for (const std::string& prefix : each.models) {
      if (model.substr(0, prefix.size()) != prefix || (best != nullptr && prefix.size() <= longest)) continue;
      best = &each;
      longest = prefix.size();
    }
  }
  return best;
}

}  // namespace patchbay::ai_voice

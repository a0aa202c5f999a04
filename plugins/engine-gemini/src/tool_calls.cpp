#include "tool_calls.h"

#include <utility>

#include "gemini_limits.h"

namespace patchbay::engine_gemini {

std::optional<std::string> ToolCalls::open(const FunctionCall& call) {
  std::string id = call.id.empty() ? "unnamed-" + std::to_string(++unnamed_) : call.id;
  if (known_.size() >= kMaxToolCalls || !known_.insert(id).second) return std::nullopt;
  open_[id] = {call.name, call.id};
  return id;
}

std::optional<ToolCalls::Open> ToolCalls::close(const std::string& id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return std::nullopt;
  Open closed = std::move(found->second);
  open_.erase(found);
  return closed;
}

std::vector<std::string> ToolCalls::close_all() {
  std::vector<std::string> ids;
  for (const auto& [id, call] : open_) ids.push_back(id);
  open_.clear();
  return ids;
}

}  // namespace patchbay::engine_gemini

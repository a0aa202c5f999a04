// The functions that a model may call during a call. Pure; any thread.
#pragma once

#include <patchbay/services/engine.h>

#include <string>
#include <string_view>

namespace patchbay::ai_voice {

// Whether we call or are called.
enum class Direction { outbound, inbound };

// Returns the value of engine::Open::tools.
std::string_view call_tools(Direction direction) noexcept;

struct ToolAnswer {
  std::string result;        // JSON object for the model
  std::string outcome;       // of the call, which ends; "": the call continues
  bool hang_up_now = false;  // ends the call without a goodbye
};
ToolAnswer answer_tool(Direction direction, std::string_view name);

inline void add_usage(engine::Usage& to, const engine::Usage& more) noexcept {
  to.total += more.total;
  to.prompt += more.prompt;
  to.response += more.response;
  to.thoughts += more.thoughts;
  to.cached += more.cached;
}

}  // namespace patchbay::ai_voice

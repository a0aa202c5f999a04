// The functions that a model may call during a call. Pure; any thread.
#pragma once

#include <patchbay/services/engine.h>

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::ai_voice {

// Whether we call or are called.
enum class Direction { outbound, inbound };

// Returns the value of engine::Open::tools. `transfer_targets`: to which the model may transfer the call;
// without them it has no such function.
std::string call_tools(Direction direction, const std::vector<std::string>& transfer_targets = {});
inline constexpr std::string_view kTransferTool = "transfer_to_user";

struct ToolAnswer {
  std::string result;        // JSON object for the model
  std::string outcome;       // of the call, which ends; "": the call continues
  bool hang_up_now = false;  // ends the call without a goodbye
};
// Of every function but kTransferTool.
ToolAnswer answer_tool(Direction direction, std::string_view name);
// JSON objects for the model: the transfer rings; the call cannot end while it does; why no transfer can be
// made.
std::string transfer_rings();
std::string not_while_it_rings();
std::string transfer_refused(std::string_view reason);

inline void add_usage(engine::Usage& to, const engine::Usage& more) noexcept {
  to.total += more.total;
  to.prompt += more.prompt;
  to.response += more.response;
  to.thoughts += more.thoughts;
  to.cached += more.cached;
}

}  // namespace patchbay::ai_voice

#include "conversation/tools.h"

namespace patchbay::ai_voice {

std::string_view call_tools(Direction direction) noexcept {
  if (direction == Direction::inbound)
    return R"([
    {"name": "hang_up", "description": "End the call. Call it when the conversation is over, then say a short goodbye.",
     "parameters": {"type": "object", "properties": {"reason": {"type": "string", "description": "why the call ends"}}}}
  ])";
  return R"([
    {"name": "hang_up", "description": "End the call. Call it when the conversation is over, then say a short goodbye.",
     "parameters": {"type": "object", "properties": {"reason": {"type": "string", "description": "why the call ends"}}}},
    {"name": "callback_later", "description": "The callee asks to be called at another time. Call it, then say a short goodbye.",
     "parameters": {"type": "object", "properties": {"when": {"type": "string", "description": "when, in the callee's words"}}}},
    {"name": "voicemail_detected", "description": "A voicemail or answering machine has answered. Call it at once and say nothing.",
     "parameters": {"type": "object", "properties": {}}}
  ])";
}

ToolAnswer answer_tool(Direction direction, std::string_view name) {
  const bool is_outbound = direction == Direction::outbound;
  constexpr const char* kAccepted =
      R"({"status":"accepted","message":"The call ends when you have said goodbye."})";
  if (name == "hang_up") return {kAccepted, "finished", false};
  if (is_outbound && name == "callback_later") return {kAccepted, "not-now", false};
  if (is_outbound && name == "voicemail_detected") return {R"({"status":"accepted"})", "voicemail", true};
  return {
      R"({"status":"error","message":"This is not possible on this call. Offer something else.","retryable":false})",
      {},
      false};
}

}  // namespace patchbay::ai_voice

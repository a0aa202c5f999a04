#include "conversation/tools.h"

#include <patchbay/json.h>

#include <utility>

namespace patchbay::ai_voice {
namespace {

constexpr char kHangUp[] =
    R"({"name": "hang_up", "description": "End the call. Call it when the conversation is over, then say a short goodbye.",
     "parameters": {"type": "object", "properties": {"reason": {"type": "string", "description": "why the call ends"}}}})";

constexpr char kCallbackLater[] =
    R"({"name": "callback_later", "description": "The callee asks to be called at another time. Call it, then say a short goodbye.",
     "parameters": {"type": "object", "properties": {"when": {"type": "string", "description": "when, in the callee's words"}}}})";

constexpr char kVoicemailDetected[] =
    R"({"name": "voicemail_detected", "description": "A voicemail or answering machine has answered. Call it at once and say nothing.",
     "parameters": {"type": "object", "properties": {}}})";

}  // namespace

std::string call_tools(Direction direction, const std::vector<std::string>& transfer_targets) {
  JsonWriter out;
  out.array();
  out.raw(kHangUp);
  if (direction == Direction::outbound) {
    out.raw(kCallbackLater);
    out.raw(kVoicemailDetected);
  }
  if (!transfer_targets.empty()) {
    out.object().member("name", kTransferTool);
    out.member("description",
               "Connect the caller with a person. Call it when the caller asks for one of the targets.");
    out.key("parameters").object().member("type", "object").key("properties").object();
    // Not as an enumeration, which some engines do not take.
    std::string targets;
    for (const std::string& target : transfer_targets) targets += (targets.empty() ? "" : ", ") + target;
    out.key("target").object().member("type", "string");
    out.member("description", "who is called, one of: " + targets).end().end();
    out.key("required").array().value("target").end().end().end();
  }
  out.end();
  return std::move(out).str();
}

std::string transfer_rings() {
  return R"({"status":"accepted","message":"It rings there. Tell the caller to hold the line."})";
}

std::string not_while_it_rings() {
  return R"({"status":"error","message":"The target of the transfer rings. Tell the caller to hold the line."})";
}

std::string transfer_refused(std::string_view reason) {
  JsonWriter out;
  out.object()
      .member("status", "error")
      .member("message", "The transfer is not possible: " + std::string(reason) + ". Offer something else.")
      .member("retryable", false)
      .end();
  return std::move(out).str();
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

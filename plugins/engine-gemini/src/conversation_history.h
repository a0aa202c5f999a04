// ConversationHistory: what was said on a call, for the system instruction of a fresh session in mid-call.
// Keeps the end only. Pure logic.
#pragma once

#include <string>

namespace patchbay::engine_gemini {

class ConversationHistory {
 public:
  enum class Speaker { none, caller, model };

  // Appends a fragment of what `speaker` says.
  void add(Speaker speaker, const std::string& text);
  // One line per turn: "Caller: ..." or, for the model, "You: ...".
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  Speaker last_ = Speaker::none;
};

}  // namespace patchbay::engine_gemini

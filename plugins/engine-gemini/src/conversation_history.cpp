#include "conversation_history.h"

#include <patchbay/utf8.h>

#include "gemini_limits.h"

namespace patchbay::engine_gemini {

void ConversationHistory::add(Speaker speaker, const std::string& text) {
  if (text.empty()) return;
  if (last_ != speaker) {
    if (!text_.empty()) text_ += '\n';
    text_ += speaker == Speaker::caller ? "Caller:" : "You:";
    if (text.front() != ' ') text_ += ' ';
  }
  last_ = speaker;
  text_ += text;
  if (text_.size() <= kMaxHistoryBytes) return;
  const size_t line = text_.find('\n', text_.size() - kMaxHistoryBytes);
  size_t end = line == std::string::npos ? text_.size() - kMaxHistoryBytes : line + 1;
  while (end < text_.size() && !starts_character(text_[end])) ++end;
  text_.erase(0, end);
}

}  // namespace patchbay::engine_gemini

#include "detached_audio.h"

#include <patchbay/base64.h>

#include <optional>
#include <utility>

#include "gemini_limits.h"

namespace patchbay::engine_gemini {
namespace {

constexpr std::string_view kName = "\"data\"";

size_t skip_blanks(std::string_view text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r'))
    ++at;
  return at;
}

constexpr std::string_view kMarkBegin = "\"~";
// A string that begins with the JSON escape of "~", among others, can be a mark once it is parsed.
constexpr std::string_view kEscapedMarkBegin = "\"\\u007";

std::string mark(size_t index) { return "~" + std::to_string(index); }

size_t occurrences(std::string_view text, std::string_view wanted) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(wanted, at)) != std::string_view::npos; at += wanted.size()) ++count;
  return count;
}

// Returns the offset of the string that follows the name at `at`, behind its quote; npos: it is no name.
size_t find_value(std::string_view text, size_t at) {
  at = skip_blanks(text, at + kName.size());
  if (at >= text.size() || text[at] != ':') return std::string_view::npos;
  at = skip_blanks(text, at + 1);
  return at < text.size() && text[at] == '"' ? at + 1 : std::string_view::npos;
}

// Decodes the content of a JSON string. nullopt: it is short, or is not base64 without escapes.
std::optional<std::string> decode(std::string_view text) {
  // The decoder ignores line breaks, which JSON forbids in strings.
  if (text.size() < kMinDetachedCharacters || text.find('\n') != std::string_view::npos ||
      text.find('\r') != std::string_view::npos)
    return std::nullopt;
  return from_base64(text);
}

}  // namespace

void DetachedAudio::detach(std::string_view message) {
  clear();
  size_t copied = 0;
  for (size_t at = 0; (at = message.find(kName, at)) != std::string_view::npos;) {
    const size_t begin = find_value(message, at);
    at += kName.size();
    if (begin == std::string_view::npos) continue;
    const size_t end = message.find('"', begin);
    if (end == std::string_view::npos || audio_.size() == kMaxMessageItems) break;
    auto bytes = decode(message.substr(begin, end - begin));
    if (!bytes) continue;
    rest_ += message.substr(copied, begin - copied);
    rest_ += mark(audio_.size());
    audio_.push_back(*std::move(bytes));
    copied = at = end;
  }
  rest_ += message.substr(copied);
  const bool has_other_marks =
      occurrences(rest_, kMarkBegin) != audio_.size() || rest_.find(kEscapedMarkBegin) != std::string::npos;
  if (!any() || !has_other_marks) return;
  clear();
  rest_ = message;
}

void DetachedAudio::clear() {
  rest_.clear();
  audio_.clear();
  taken_ = 0;
}

std::string DetachedAudio::take() { return all_taken() ? std::string() : std::move(audio_[taken_++]); }

bool DetachedAudio::is_next(std::string_view text) const { return !all_taken() && text == mark(taken_); }

}  // namespace patchbay::engine_gemini

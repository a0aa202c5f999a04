#include "echo_filter.h"

#include <patchbay/text.h>

#include <algorithm>
#include <string_view>

#include "gemini_limits.h"

namespace patchbay::engine_gemini {

void EchoFilter::sent(int64_t now_ms, const std::string& text) {
  recent_sent_texts_.emplace_back(now_ms + kEchoMs, text);
  if (recent_sent_texts_.size() > kMaxRecentSentTexts) recent_sent_texts_.pop_front();
}

void EchoFilter::resumed(int64_t now_ms) { replay_until_ms_ = now_ms + kReplayMs; }

bool EchoFilter::is_echo(int64_t now_ms, const std::string& text) const {
  const std::string_view said = trim(text);
  return std::any_of(recent_sent_texts_.begin(), recent_sent_texts_.end(), [&](const auto& recent) {
    const auto& [until_ms, ours] = recent;
    return now_ms < until_ms &&
           (said == ours || (said.size() >= kMinEchoBytes && ours.find(said) != std::string::npos));
  });
}

}  // namespace patchbay::engine_gemini

// What the local engine says: a greeting, a reply to each command, and otherwise a repetition of what the
// caller said. Pure logic.
#pragma once

#include <string>
#include <string_view>

#include "engine/engine.h"
#include "intent.h"

namespace patchbay::engine_local {

struct SpokenReply {
  std::string text;  // to say at once, or after the tool's result
  std::string tool;  // to call before saying `text`; empty: none
  std::string args_json = "{}";
};

class SpokenReplies {
 public:
  explicit SpokenReplies(const lib::SessionConfig& config) : config_(config) {}

  std::string greeting() const;
  // `text`: what the caller said; "" if it was not recognised.
  SpokenReply reply(Intent intent, const std::string& text) const;
  // The reply to an instruction from ai-voice, such as "The caller is silent; ask whether they are still
  // there."
  SpokenReply reply_to_nudge(const std::string& text) const;
  void set_last_said(const std::string& text) { last_said_ = text; }

 private:
  SpokenReply with_tool(const char* tool, std::string args, std::string text) const;

  const lib::SessionConfig config_;
  std::string last_said_;
};

}  // namespace patchbay::engine_local

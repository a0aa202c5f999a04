// What the local engine says: a greeting, an answer to each command, and the caller's own words otherwise.
// Pure logic.
#pragma once

#include <string>
#include <string_view>

#include "engine/engine.h"
#include "intent.h"

namespace patchbay::engine_local {

struct Reply {
  std::string text;  // said at once, or after the tool's result
  std::string tool;  // to be called first; empty: none
  std::string args_json = "{}";
};

class DialogPolicy {
 public:
  explicit DialogPolicy(const lib::SessionConfig& config) : config_(config) {}

  std::string greeting() const;
  // `text` is what the caller said, "" when it was not understood.
  Reply answer(Intent intent, const std::string& text);
  // A text of the platform's, such as "The caller is silent; ask whether they are still there."
  Reply answer_nudge(const std::string& text);
  void said(const std::string& text) { last_ = text; }

 private:
  Reply with_tool(const char* tool, std::string args, std::string text) const;

  const lib::SessionConfig config_;
  std::string last_;
};

}  // namespace patchbay::engine_local

// A regular expression that is safe for values from peers: matching takes time in proportion to pattern size
// times subject size.
#pragma once

#include <memory>
#include <regex>
#include <string>
#include <string_view>

#include "patchbay/result.h"

namespace patchbay::core::json {

// Immutable once compiled; any thread may match. ECMAScript syntax without back-references and look-around.
class Pattern {
 public:
  static Result<Pattern> compile(std::string_view text);

  // Whether the pattern matches anywhere in the subject; false if the subject is longer than
  // kMaxPatternSubjectBytes.
  bool found_in(std::string_view subject) const noexcept;
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  std::shared_ptr<const std::regex> regex_;  // shared so that a Rule stays cheap to move; never changed
};

}  // namespace patchbay::core::json

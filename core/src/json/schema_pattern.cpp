#include "json/schema_pattern.h"

#include "json/limits.h"

namespace patchbay::core::json {
namespace {

// With __polynomial, libstdc++ follows all alternatives at once instead of backtracking, and refuses
// back-references.
#ifdef __GLIBCXX__
constexpr auto kSyntax = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto kSyntax = std::regex::ECMAScript;
#endif

}  // namespace

Result<Pattern> Pattern::compile(std::string_view text) {
  Pattern pattern;
  pattern.text_ = text;
  try {
    pattern.regex_ = std::make_shared<const std::regex>(pattern.text_, kSyntax);
  } catch (const std::regex_error&) {
    return {Code::invalid, "schema keyword pattern is not a regular expression this validator runs"};
  }
  return pattern;
}

bool Pattern::found_in(std::string_view subject) const noexcept {
  if (subject.size() > kMaxPatternSubjectBytes) return false;
  try {
    return std::regex_search(subject.begin(), subject.end(), *regex_);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace patchbay::core::json

// Limits of JSON texts, schemas and messages about them.
#pragma once

#include <cstddef>

namespace patchbay::core::json {

// Of a text to be parsed.
struct Limits {
  size_t bytes = 1 << 20;     // of the whole text
  size_t depth = 32;          // of nested arrays and objects
  size_t values = 1'000'000;  // limited, as a parsed value takes at least 24 bytes even for the text `0,`
};
inline constexpr size_t kMaxNumberCharacters = 400;

// Of a value that a schema's pattern is matched with, because matching takes time in proportion to its size.
inline constexpr size_t kMaxPatternSubjectBytes = 1024;

// Of messages.
inline constexpr size_t kMaxViolations = 20;       // of one value
inline constexpr size_t kMaxNameInMessage = 40;    // characters of a field's name
inline constexpr size_t kMaxExampleBytes = 80;     // longer examples are left out
inline constexpr size_t kMaxListedNames = 12;      // of known fields, after an unknown one
inline constexpr size_t kMaxSuggestionBytes = 64;  // longer names get no "did you mean"

}  // namespace patchbay::core::json

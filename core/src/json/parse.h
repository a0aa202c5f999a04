// The one JSON parser of the whole code base: RFC 8259 to the letter, from any peer. Thread-safe.
//
// Refused beyond the grammar: duplicate keys, NUL bytes, a byte order mark, lone surrogates, invalid UTF-8,
// numbers beyond a double or written with more than 400 characters, and what exceeds Limits.
#pragma once

#include <cstddef>
#include <string_view>

#include "json/document.h"
#include "patchbay/result.h"

namespace patchbay::core::json {

struct Limits {
  size_t bytes = 1 << 20;     // of the whole text
  size_t depth = 32;          // of nested arrays and objects
  size_t values = 1'000'000;  // a parsed value takes at least 24 bytes, also where its text is `0,`
};

// Errors: Code::exhausted when the text is longer than limits.bytes or holds more than limits.values, else
// Code::invalid. The sentence gives line, column and, where it is known, the name of the field, escaped;
// nothing else of the text, which may hold secrets.
Result<Document> parse(std::string_view text, Limits limits = {});

struct Position {
  size_t line = 1;    // from 1
  size_t column = 1;  // from 1, in bytes
};
Position position(std::string_view text, size_t offset) noexcept;

}  // namespace patchbay::core::json

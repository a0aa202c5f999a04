// The only JSON parser of the code base: strict RFC 8259, safe for texts from any peer. Thread-safe.
//
// Also refuses duplicate keys, NUL bytes, a byte order mark, lone surrogates, invalid UTF-8, numbers beyond a
// double or written with more than 400 characters, and texts that exceed Limits.
#pragma once

#include <cstddef>
#include <string_view>

#include "json/document.h"
#include "json/limits.h"
#include "patchbay/result.h"

namespace patchbay::core::json {

// Errors: Code::exhausted if the text is longer than limits.bytes or has more than limits.values, else
// Code::invalid. The message has line, column and, if known, the escaped name of the field, but no other part
// of the text, because that may be secret.
Result<Document> parse(std::string_view text, Limits limits = {});

struct Position {
  size_t line = 1;    // from 1
  size_t column = 1;  // from 1, in bytes
};
Position position(std::string_view text, size_t offset) noexcept;

}  // namespace patchbay::core::json

// What can be known of SQL by looking at it: where code ends and quotes and comments begin.
#pragma once

#include <patchbay/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::core {

enum class Dialect { sqlite, postgres };

struct SqlPiece {
  enum class Kind { code, quoted, comment } kind;
  std::string_view text;  // quotes and comment marks included
};

// The pieces in order; together they are the whole text.
std::vector<SqlPiece> sql_pieces(std::string_view sql);

// Without comments, white space outside quotes as single blanks, no ';' at the end.
std::string sql_plain(std::string_view sql);

// How many parameters: the n of $1..$n, of which each must occur. `sql` must be one statement.
Result<int> sql_parameters(std::string_view sql);

// Replaces {{BYTES}} (type of a byte string), {{ID}} (type of a 63-bit key; in SQLite the row's own number)
// and
// {{NOW_MS}} (the store's clock). Any other {{word}} is an error.
Result<std::string> expand_macros(std::string_view sql, Dialect dialect);

}  // namespace patchbay::core

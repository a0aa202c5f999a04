// Splits SQL into code, quotes and comments, without parsing it further.
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

// Returns the pieces in order; together they are the whole text.
std::vector<SqlPiece> sql_pieces(std::string_view sql);

// Returns the SQL without comments and a final ';', with white space outside quotes as single blanks.
std::string sql_plain(std::string_view sql);

// Returns n when the parameters are exactly $1..$n. `sql` must be one statement.
Result<int> sql_parameters(std::string_view sql);

// Replaces {{BYTES}} (type of a byte string), {{ID}} (type of a 63-bit key; in SQLite the rowid; as a primary
// key it gets a number when an INSERT leaves it out), {{NOW_MS}} (the store's clock) and, for the core's
// statements, {{DATABASE_MS}} (the database's clock), {{FOR_UPDATE}} and {{SKIP_LOCKED}} (row locks, which
// SQLite does not need). Fails for any other {{word}}. `now_ms`: SQL of the store's clock; empty: the
// dialect's own.
Result<std::string> expand_macros(std::string_view sql, Dialect dialect, std::string_view now_ms = {});

}  // namespace patchbay::core

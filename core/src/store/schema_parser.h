// An owner's migrations and named statements, as one SQL text:
//
//   -- migration: 1            DDL, run once, in order; never edited once it has run anywhere
//   CREATE TABLE notes_note (id {{ID}} PRIMARY KEY, body TEXT NOT NULL);
//   -- name: add               one statement, parameters $1..$n
//   INSERT INTO notes_note (id, body) VALUES ($1, $2);
//   -- name: list
//   -- read                    or `-- write`: optional, and checked; `-- notify`: other processes on the
//                              database get a hint after a commit in which it changed rows
//   SELECT id, body FROM notes_note ORDER BY id LIMIT $1;
//
// Names of tables and indexes begin with the owner's prefix. The text must mean the same in SQLite and
// PostgreSQL.
#pragma once

#include <patchbay/result.h>

#include <string>
#include <string_view>
#include <vector>

#include "store/sql_scanner.h"

namespace patchbay::core {

struct SchemaText {
  enum class Access { infer, read, write };
  struct Migration {
    int number = 0;
    int line = 0;
    std::string sql;   // macros not yet expanded
    std::string hash;  // hex SHA-256 of the SQL without comments and layout
  };
  struct Statement {
    std::string name;
    int line = 0;
    std::string sql;  // macros not yet expanded, no ';'
    int parameters = 0;
    Access access = Access::infer;
    bool notifies = false;
  };
  std::vector<Migration> migrations;  // numbered 1, 2, ...
  std::vector<Statement> statements;
};

// Parses an owner's text. Errors name the line.
Result<SchemaText> parse_schema(std::string_view text);

// Returns the prefix of the owner's tables: "ai_voice_" for "ai-voice".
std::string table_prefix(std::string_view owner);

}  // namespace patchbay::core

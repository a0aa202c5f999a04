// Rows as JSON text, written from SQLite's columns without a copy in between.
#pragma once

#include <patchbay/result.h>
#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::core {

// The rows of one statement, as a JSON array of objects.
struct JsonRows {
  std::string text;
  uint64_t count = 0;
};

// How the columns of a statement become members: the words of `members` in pb_store::query_json.
class JsonMembers {
 public:
  static Result<JsonMembers> parse(std::string_view words);

  size_t size() const noexcept { return members_.size(); }
  // Appends the row that the statement is at, as an object. It has at least size() columns.
  void append_row(sqlite3_stmt* statement, std::string& out) const;

 private:
  enum class Kind : uint8_t { value, value_if_any, time, time_if_any, time_or_null, none };
  struct Member {
    std::string name;  // `"name":`
    Kind kind = Kind::value;
  };
  static bool append_value(sqlite3_stmt* statement, int column, const Member& member, std::string& out);

  std::vector<Member> members_;
};

}  // namespace patchbay::core

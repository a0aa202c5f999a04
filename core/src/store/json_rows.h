// Rows as JSON text, written from the database's columns without a copy in between.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/sql_value.h"

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
  // Appends a row as an object. `columns` has at least size() columns, with the functions type(), integer(),
  // real() and data() of each.
  template <class Columns>
  void append_row(const Columns& columns, std::string& out) const;

 private:
  enum class Kind : uint8_t { value, value_if_any, time, time_if_any, time_or_null, none };
  struct Member {
    std::string name;  // `"name":`
    Kind kind = Kind::value;
  };
  template <class Columns>
  static bool append_value(const Columns& columns, int column, const Member& member, std::string& out);
  static void append_time(std::string& out, int64_t ms, Kind kind);
  static void append_text(std::string& out, std::string_view text);
  static void append_integer(std::string& out, int64_t number);
  static void append_real(std::string& out, double number);
  static void append_bytes(std::string& out, std::string_view bytes);

  std::vector<Member> members_;
};

template <class Columns>
void JsonMembers::append_row(const Columns& columns, std::string& out) const {
  char before = '{';
  for (size_t i = 0; i < members_.size(); ++i) {
    const size_t length = out.size();
    out += before;
    if (append_value(columns, static_cast<int>(i), members_[i], out))
      before = ',';
    else
      out.resize(length);
  }
  out += before == '{' ? "{}" : "}";
}

// False: the member is left out; `out` may have been changed.
template <class Columns>
bool JsonMembers::append_value(const Columns& columns, int column, const Member& member, std::string& out) {
  if (member.kind == Kind::none) return false;
  const ValueType type = columns.type(column);
  const bool may_miss = member.kind == Kind::value_if_any || member.kind == Kind::time_if_any;
  if (type == ValueType::null && may_miss) return false;
  out += member.name;
  if (member.kind != Kind::value && member.kind != Kind::value_if_any) {
    append_time(out, type == ValueType::integer ? columns.integer(column) : 0, member.kind);
    return true;
  }
  switch (type) {
    case ValueType::text:
      append_text(out, columns.data(column));
      break;
    case ValueType::integer:
      append_integer(out, columns.integer(column));
      break;
    case ValueType::real:
      append_real(out, columns.real(column));
      break;
    case ValueType::bytes:
      append_bytes(out, columns.data(column));
      break;
    case ValueType::null:
      out += "null";
  }
  return true;
}

}  // namespace patchbay::core

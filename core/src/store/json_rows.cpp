#include "store/json_rows.h"

#include <patchbay/hex.h>
#include <patchbay/json_string.h>
#include <patchbay/utc.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace patchbay::core {
namespace {

void append_integer(std::string& out, int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void append_real(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

std::string_view text_of(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr
             ? std::string_view()
             : std::string_view(text, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
}

std::string_view bytes_of(sqlite3_stmt* statement, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
  return bytes == nullptr
             ? std::string_view()
             : std::string_view(bytes, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
}

bool ends_with(std::string_view word, std::string_view end) {
  return word.size() >= end.size() && word.substr(word.size() - end.size()) == end;
}

}  // namespace

Result<JsonMembers> JsonMembers::parse(std::string_view words) {
  static constexpr std::pair<std::string_view, Kind> kEnds[] = {
      {"@?", Kind::time_or_null}, {"@-", Kind::time_if_any}, {"@", Kind::time}, {"-", Kind::value_if_any}};
  JsonMembers members;
  while (!words.empty()) {
    std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    Member member;
    for (const auto& [end, kind] : kEnds) {
      if (!ends_with(word, end)) continue;
      member.kind = kind;
      word.remove_suffix(end.size());
      break;
    }
    if (word.empty() && member.kind != Kind::value_if_any)
      return {Code::invalid, "the members of JSON rows are words separated by a blank"};
    if (word.empty()) member.kind = Kind::none;
    append_json_string(member.name, word);
    member.name += ':';
    members.members_.push_back(std::move(member));
  }
  return members;
}

void JsonMembers::append_row(sqlite3_stmt* statement, std::string& out) const {
  char before = '{';
  for (size_t i = 0; i < members_.size(); ++i) {
    const size_t length = out.size();
    out += before;
    if (append_value(statement, static_cast<int>(i), members_[i], out))
      before = ',';
    else
      out.resize(length);
  }
  out += before == '{' ? "{}" : "}";
}

// False: the member is left out; `out` may have been changed.
bool JsonMembers::append_value(sqlite3_stmt* statement, int column, const Member& member, std::string& out) {
  if (member.kind == Kind::none) return false;
  const int type = sqlite3_column_type(statement, column);
  const bool may_miss = member.kind == Kind::value_if_any || member.kind == Kind::time_if_any;
  if (type == SQLITE_NULL && may_miss) return false;
  out += member.name;
  if (member.kind != Kind::value && member.kind != Kind::value_if_any) {
    const int64_t ms = type == SQLITE_INTEGER ? sqlite3_column_int64(statement, column) : 0;
    if (ms != 0)
      out.append("\"").append(utc_text(ms)).append("\"");
    else
      out += member.kind == Kind::time_or_null ? "null" : "\"\"";
    return true;
  }
  switch (type) {
    case SQLITE_TEXT:
      append_json_string(out, text_of(statement, column));
      break;
    case SQLITE_INTEGER:
      append_integer(out, sqlite3_column_int64(statement, column));
      break;
    case SQLITE_FLOAT:
      append_real(out, sqlite3_column_double(statement, column));
      break;
    case SQLITE_BLOB:
      out.append("\"").append(to_hex(bytes_of(statement, column))).append("\"");
      break;
    default:
      out += "null";
  }
  return true;
}

}  // namespace patchbay::core

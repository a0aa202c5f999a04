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

void JsonMembers::append_time(std::string& out, int64_t ms, Kind kind) {
  if (ms != 0)
    out.append("\"").append(utc_text(ms)).append("\"");
  else
    out += kind == Kind::time_or_null ? "null" : "\"\"";
}

void JsonMembers::append_text(std::string& out, std::string_view text) { append_json_string(out, text); }

void JsonMembers::append_integer(std::string& out, int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void JsonMembers::append_real(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

void JsonMembers::append_bytes(std::string& out, std::string_view bytes) {
  out.append("\"").append(to_hex(bytes)).append("\"");
}

}  // namespace patchbay::core

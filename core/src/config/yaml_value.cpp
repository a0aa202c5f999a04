#include "config/yaml_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "json/builder.h"

namespace patchbay::core::config {
namespace {

bool add_integer(json::Builder& builder, std::string_view digits, int base) {
  int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number, base);
  if (read.ec != std::errc() || read.ptr != end) return false;
  builder.integer(number);
  return true;
}

// Refuses "inf" and "nan", which from_chars accepts, because they are strings here.
bool add_double(json::Builder& builder, std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(number)) return false;
  builder.number(number);
  return true;
}

bool add_number(json::Builder& builder, std::string_view text) {
  if (text.substr(0, 2) == "0x") return add_integer(builder, text.substr(2), 16);
  if (text.substr(0, 2) == "0o") return add_integer(builder, text.substr(2), 8);
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return false;
  }
  return add_integer(builder, text, 10) || add_double(builder, text);
}

void add_plain(json::Builder& builder, std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return builder.boolean(true);
  if (text == "false" || text == "False" || text == "FALSE") return builder.boolean(false);
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return builder.null();
  if (!add_number(builder, text)) builder.string(text);
}

void add(json::Builder& builder, const Value& value, const Mark& mark, SourceMap& marks) {
  builder.origin(marks.add(value, mark));
  switch (value.kind) {
    case Value::Kind::null:
      return builder.null();
    case Value::Kind::plain:
      return add_plain(builder, value.text);
    case Value::Kind::quoted:
      return builder.string(value.text);
    case Value::Kind::list:
      builder.begin_array();
      for (const Value& item : value.items) add(builder, item, item.mark, marks);
      return builder.end();
    case Value::Kind::map:
      builder.begin_object();
      for (const Entry& entry : value.entries) {
        builder.key(entry.key);
        add(builder, entry.value, entry.mark, marks);
      }
      return builder.end();
  }
}

}  // namespace

const Entry* Value::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Entry* Value::find(std::string_view key) { return const_cast<Entry*>(std::as_const(*this).find(key)); }

uint32_t SourceMap::add(const Value& value, const Mark& mark) {
  positions_.push_back({mark, value.text, value.kind == Value::Kind::plain});
  return static_cast<uint32_t>(positions_.size());
}

const Mark& SourceMap::mark(uint32_t origin) const {
  static const Mark kUnknown;
  return origin == 0 || origin > positions_.size() ? kUnknown : positions_[origin - 1].mark;
}

std::optional<std::string_view> SourceMap::spelling(uint32_t origin) const {
  if (origin == 0 || origin > positions_.size() || !positions_[origin - 1].plain) return std::nullopt;
  return positions_[origin - 1].text;
}

json::Document to_json(const Value& value, SourceMap& marks) {
  json::Builder builder;
  add(builder, value, value.mark, marks);
  return builder.finish();
}

}  // namespace patchbay::core::config

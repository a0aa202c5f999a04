// Parses request targets for FakeHttp. Simpler than the server, which refuses more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../json.h"
#include "../name_values.h"
#include "../percent_encoding.h"
#include "../text.h"

namespace patchbay::testing::detail {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Returns a text with a broken escape as it is.
inline std::string decode(std::string_view raw) { return percent_decode(raw).value_or(std::string(raw)); }

inline Pairs read_query(std::string_view raw) {
  Pairs pairs;
  for (const std::string_view piece : split(raw, '&')) {
    std::string_view value = piece;
    const std::string_view name = take_until('=', value);
    pairs.emplace_back(decode(name), decode(value));
  }
  return pairs;
}

inline const std::string* find_pair(const Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs)
    if (key == name) return &value;
  return nullptr;
}

// The parameters of `path` for the pattern "/v1/calls/{id}"; nothing if it does not match.
inline std::optional<Pairs> match_path(std::string_view pattern, std::string_view path) {
  const auto wanted = split(pattern, '/');
  const auto given = split(path, '/');
  if (wanted.size() != given.size()) return std::nullopt;
  Pairs params;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool is_parameter = wanted[i].size() > 2 && wanted[i].front() == '{' && wanted[i].back() == '}';
    if (is_parameter)
      params.emplace_back(wanted[i].substr(1, wanted[i].size() - 2), decode(given[i]));
    else if (wanted[i] != given[i])
      return std::nullopt;
  }
  return params;
}

inline NameValues values_of(const Pairs& pairs) {
  NameValues values;
  for (const auto& [name, value] : pairs) values.add(name, value);
  return values;
}

inline bool has_type(JsonView types, std::string_view wanted) {
  if (types.is_string()) return types.text() == wanted;
  for (size_t i = 0; i < types.size(); ++i)
    if (types.at(i).text() == wanted) return true;
  return false;
}

inline bool is_number(std::string_view text, bool whole) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  const bool zero_led = text.size() > 1 && text.front() == '0' && text[1] != '.';
  return !text.empty() && !zero_led && text.size() <= 18 && text.back() != '.' && text.front() != '.' &&
         text.find_first_not_of(whole ? "0123456789" : "0123456789.") == std::string_view::npos;
}

// The query parameters as a JSON object with the types of the schema's properties.
inline std::string typed_object(const Pairs& pairs, JsonView properties) {
  JsonWriter object;
  object.object();
  for (const auto& [name, value] : pairs) {
    const JsonView type = properties[name]["type"];
    object.key(name);
    if (has_type(type, "boolean") && (value == "true" || value == "1"))
      object.value(true);
    else if (has_type(type, "boolean") && (value == "false" || value == "0"))
      object.value(false);
    else if ((has_type(type, "integer") && is_number(value, true)) ||
             (has_type(type, "number") && is_number(value, false)))
      object.raw(value);
    else
      object.value(value);
  }
  return std::move(object.end()).str();
}

}  // namespace patchbay::testing::detail

#include "query_reader.h"

#include <algorithm>

#include "handler_request.h"

namespace patchbay::rest_api {
namespace {

bool has_type(JsonView types, std::string_view wanted) {
  if (types.is_string()) return types.text() == wanted;
  for (size_t i = 0; i < types.size(); ++i)
    if (types.at(i).text() == wanted) return true;
  return false;
}

bool is_integer(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Without the leading zeros, which JSON forbids.
std::string integer_literal(std::string_view text) { return std::to_string(std::stoll(std::string(text))); }

}  // namespace

Result<QueryReader> QueryReader::compile(const Host& host, const std::string& schema) {
  QueryReader reader;
  if (schema.empty()) return reader;
  PB_TRY_VALUE(reader.schema_, Schema::compile(host, schema));
  PB_TRY_VALUE(const Json doc, host.parse_json(schema));
  const JsonView properties = doc["properties"];
  for (size_t i = 0; i < properties.size(); ++i) {
    const JsonView types = properties.at(i)["type"];
    const std::string name(properties.key(i));
    reader.names_.push_back(name);
    if (has_type(types, "integer"))
      reader.typed_.emplace_back(name, Kind::integer);
    else if (has_type(types, "number"))
      reader.typed_.emplace_back(name, Kind::number);
    else if (has_type(types, "boolean"))
      reader.typed_.emplace_back(name, Kind::boolean);
  }
  return reader;
}

// The schema's name for a parameter, which the client may write in any case.
const std::string& QueryReader::name_of(const std::string& written) const {
  const auto found = std::find_if(names_.begin(), names_.end(),
                                  [&](const std::string& name) { return is_name(name, written); });
  return found == names_.end() ? written : *found;
}

// The JSON literal of a number or boolean; "": the text stays a string.
std::string QueryReader::literal(const Host& host, std::string_view name, const std::string& text) const {
  for (const auto& [typed, kind] : typed_) {
    if (!is_name(typed, name)) continue;
    if (kind == Kind::boolean) {
      if (text == "true" || text == "1") return "true";
      return text == "false" || text == "0" ? "false" : "";
    }
    if (is_integer(text)) return integer_literal(text);
    if (kind != Kind::number) return "";
    const auto value = host.parse_json(text);
    return value && value->root().type() == PB_JSON_NUMBER ? text : std::string();
  }
  return "";
}

Result<NameValues> QueryReader::read(const Host& host, const StringPairs& query) const {
  if (!schema_) return name_values(query);
  if (last_ && last_->query == query) return last_->values;
  PB_TRY_VALUE(NameValues values, check(host, query));
  last_ = Checked{query, values};
  return values;
}

Result<NameValues> QueryReader::check(const Host& host, const StringPairs& query) const {
  JsonWriter object;
  object.object();
  for (const auto& [name, text] : query) {
    object.key(name_of(name));
    if (const std::string plain = literal(host, name, text); !plain.empty())
      object.raw(plain);
    else
      object.value(text);
  }
  object.end();
  PB_TRY_VALUE(const Json checked, schema_->read(object.str()));
  NameValues all;
  const JsonView root = checked.root();
  for (size_t i = 0; i < root.size(); ++i) {
    const JsonView value = root.at(i);
    if (value.is_null()) continue;
    all.add(root.key(i), value.is_string() ? std::string(value.text()) : host.write_json(value));
  }
  return all;
}

}  // namespace patchbay::rest_api

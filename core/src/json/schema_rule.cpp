#include "json/schema_rule.h"

#include <algorithm>
#include <array>

#include "json/writer.h"

namespace patchbay::core::json {
namespace {

struct TypeName {
  std::string_view name;
  uint8_t bits;
  const char* text;
};
constexpr std::array<TypeName, 7> kTypes = {{
    {"string", Rule::bit(Type::string), "a string"},
    {"integer", Rule::kInteger, "an integer"},
    {"number", Rule::bit(Type::number), "a number"},
    {"boolean", Rule::bit(Type::boolean), "true or false"},
    {"array", Rule::bit(Type::array), "an array"},
    {"object", Rule::bit(Type::object), "an object"},
    {"null", Rule::bit(Type::null), "null"},
}};

constexpr std::array<std::string_view, 8> kAnnotations = {
    "title", "description", "deprecated", "readOnly", "writeOnly", "$schema", "$id", "required"};

Error wrong(std::string_view keyword, const char* text) {
  return {Code::invalid, "schema keyword " + std::string(keyword) + " " + text};
}

Status read_type(const Node& value, Rule& rule) {
  if (value.is(Type::array)) {
    for (uint32_t i = 0; i < value.size(); ++i) PB_TRY(read_type(*value.element(i), rule));
    return {};
  }
  for (const TypeName& type : kTypes) {
    if (value.string() != type.name) continue;
    rule.types |= type.bits;
    return {};
  }
  return wrong("type", "names no type");
}

Status read_properties(const Node& value, Rule& rule) {
  if (!value.is(Type::object)) return wrong("properties", "must be an object");
  rule.has_properties = true;
  for (uint32_t i = 0; i < value.size(); ++i) {
    const Member& member = *value.member(i);
    auto compiled = compile_rule(member.value);
    if (!compiled) return std::move(compiled).error().within("property " + std::string(member.key));
    rule.properties.push_back({std::string(member.key), std::move(compiled).value(), false});
  }
  return {};
}

// Read after `properties`, whatever their order in the schema.
Status read_required(const Node& schema, Rule& rule) {
  const Node* names = schema.find("required");
  for (uint32_t i = 0; names && i < names->size(); ++i) {
    const std::string_view name = names->element(i) ? names->element(i)->string() : std::string_view();
    const auto found = std::find_if(rule.properties.begin(), rule.properties.end(),
                                    [&](const Property& p) { return p.name == name; });
    if (found == rule.properties.end()) return wrong("required", "names no property");
    found->required = true;
  }
  return {};
}

Status read_additional(const Node& value, Rule& rule) {
  if (value.is(Type::boolean)) {
    rule.extra = value.boolean() ? Rule::Extra::allow : Rule::Extra::refuse;
    return {};
  }
  PB_TRY_VALUE(Rule compiled, compile_rule(value));
  rule.extra = Rule::Extra::checked;
  rule.additional = std::make_unique<Rule>(std::move(compiled));
  return {};
}

Status read_count(std::string_view keyword, const Node& value, size_t& count) {
  if (!value.is_integer() || value.integer() < 0) return wrong(keyword, "must be an integer from 0");
  count = static_cast<size_t>(value.integer());
  return {};
}

Status read_number(std::string_view keyword, const Node& value, const Node*& number) {
  if (!value.is(Type::number)) return wrong(keyword, "must be a number");
  number = &value;
  return {};
}

Status read_flag(std::string_view keyword, const Node& value, bool& flag) {
  if (!value.is(Type::boolean)) return wrong(keyword, "must be true or false");
  flag = value.boolean();
  return {};
}

Status read_enum(const Node& value, Rule& rule) {
  if (value.size() == 0 || !value.is(Type::array)) return wrong("enum", "must be a list of values");
  for (uint32_t i = 0; i < value.size(); ++i) rule.choices.push_back(value.element(i));
  return {};
}

Status read_pattern(const Node& value, Rule& rule) {
  PB_TRY_VALUE(Pattern compiled, Pattern::compile(value.string()));
  rule.pattern = std::move(compiled);
  return {};
}

Status read_message(const Node& value, Rule& rule) {
  if (value.string().empty()) return wrong("x-rule", "must be a text that completes `must ...`");
  rule.message = value.string();
  return {};
}

void read_example(const Node* value, Rule& rule) {
  if (value && !rule.example) rule.example = value;
}

void read_format(const Node& value, Rule& rule) {
  if (value.string() == "uri") rule.format = Rule::Format::uri;
  if (value.string() == "date-time") rule.format = Rule::Format::date_time;
}

Status read_items(const Node& value, Rule& rule) {
  auto compiled = compile_rule(value);
  if (!compiled) return std::move(compiled).error().within("items");
  rule.items = std::make_unique<Rule>(std::move(compiled).value());
  return {};
}

Status read_structure(std::string_view keyword, const Node& value, Rule& rule) {
  if (keyword == "type") return read_type(value, rule);
  if (keyword == "properties") return read_properties(value, rule);
  if (keyword == "additionalProperties") return read_additional(value, rule);
  if (keyword == "items") return read_items(value, rule);
  if (keyword == "enum") return read_enum(value, rule);
  if (keyword == "pattern") return read_pattern(value, rule);
  if (keyword == "const") return rule.choices.push_back(&value), Status();
  if (keyword == "format") return read_format(value, rule), Status();
  if (keyword == "default") return rule.default_value = &value, Status();
  if (keyword == "example") return read_example(&value, rule), Status();
  if (keyword == "examples") return read_example(value.element(0), rule), Status();
  if (keyword == "x-rule") return read_message(value, rule);
  const bool annotation = keyword.substr(0, 2) == "x-" ||
                          std::find(kAnnotations.begin(), kAnnotations.end(), keyword) != kAnnotations.end();
  return annotation ? Status() : Status(wrong(keyword, "is not supported"));
}

Status read_keyword(std::string_view keyword, const Node& value, Rule& rule) {
  if (keyword == "minimum") return read_number(keyword, value, rule.minimum);
  if (keyword == "maximum") return read_number(keyword, value, rule.maximum);
  if (keyword == "minLength") return read_count(keyword, value, rule.min_length);
  if (keyword == "maxLength") return read_count(keyword, value, rule.max_length);
  if (keyword == "x-advised-length") return read_count(keyword, value, rule.advised_length);
  if (keyword == "minItems") return read_count(keyword, value, rule.min_items);
  if (keyword == "maxItems") return read_count(keyword, value, rule.max_items);
  if (keyword == "x-ignore-case") return read_flag(keyword, value, rule.ignore_case);
  if (keyword == "x-snap") return read_flag(keyword, value, rule.snap);
  if (keyword == "x-secret") return read_flag(keyword, value, rule.secret);
  if (keyword == "x-path") return read_flag(keyword, value, rule.file_path);
  return read_structure(keyword, value, rule);
}

}  // namespace

bool Rule::allows(const Node& value) const noexcept {
  return types == 0 || (types & bit(value.type())) || ((types & kInteger) && value.is_integer());
}

bool Rule::takes_null() const noexcept {
  if (types != 0) return (types & bit(Type::null)) != 0;
  return choices.empty() ||
         std::any_of(choices.begin(), choices.end(), [](const Node* c) { return c->is(Type::null); });
}

std::string Rule::type_names() const {
  std::string names;
  for (const TypeName& type : kTypes)
    if (types & type.bits) names += (names.empty() ? "" : " or ") + std::string(type.text);
  return names;
}

Result<Rule> compile_rule(const Node& schema) {
  Rule rule;
  if (schema.is(Type::boolean) && schema.boolean()) return rule;
  if (!schema.is(Type::object)) return {Code::invalid, "a schema must be an object"};
  for (uint32_t i = 0; i < schema.size(); ++i)
    PB_TRY(read_keyword(schema.member(i)->key, schema.member(i)->value, rule));
  PB_TRY(read_required(schema, rule));
  return rule;
}

}  // namespace patchbay::core::json

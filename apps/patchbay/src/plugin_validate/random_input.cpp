#include "plugin_validate/random_input.h"

#include <patchbay/json_string.h>

#include <algorithm>
#include <array>

#include "json/writer.h"

namespace patchbay::app::validate {
namespace {

using core::json::Node;
using core::json::Type;

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string type_of(const Node& schema) {
  const Node* type = schema.find("type");
  if (type == nullptr) return {};
  return std::string(type->is(Type::array) && type->size() > 0 ? type->element(0)->string() : type->string());
}

int64_t limit(const Node& schema, const char* name, int64_t fallback) {
  const Node* node = schema.find(name);
  return node != nullptr ? node->integer(fallback) : fallback;
}

bool is_required(const Node& schema, std::string_view key) {
  const Node* list = schema.find("required");
  for (uint32_t i = 0; list != nullptr && i < list->size(); ++i)
    if (list->element(i)->string() == key) return true;
  return false;
}

std::string valid_string(const Node& schema, RandomInput& random) {
  if (schema.find("pattern") != nullptr || schema.find("format") != nullptr) return {};
  const auto min = static_cast<size_t>(limit(schema, "minLength", 0));
  const auto max = static_cast<size_t>(limit(schema, "maxLength", 64));
  std::string text = random.word();
  while (text.size() < min) text += random.word() + "x";
  if (text.size() > max) text.resize(std::max(min, max));
  return json_string(text);
}

std::string valid_integer(const Node& schema, RandomInput& random) {
  const int64_t min = limit(schema, "minimum", 0);
  const int64_t max = std::max(min, limit(schema, "maximum", 1'000'000));
  if (random.one_in(3)) return std::to_string(random.one_in(2) ? min : max);
  return std::to_string(min + static_cast<int64_t>(random.below(static_cast<uint64_t>(max - min) + 1)));
}

std::string valid_array(const Node& schema, RandomInput& random) {
  const Node* items = schema.find("items");
  const auto min = static_cast<uint64_t>(limit(schema, "minItems", 0));
  const uint64_t count = min + (items != nullptr ? random.below(3) : 0);
  std::string out = "[";
  for (uint64_t i = 0; i < count; ++i) {
    const std::string item = items != nullptr ? valid_value(*items, random) : "1";
    if (item.empty()) return min == 0 ? "[]" : "";
    out += (i == 0 ? "" : ",") + item;
  }
  return out + "]";
}

std::string valid_object(const Node& schema, RandomInput& random) {
  const Node* properties = schema.find("properties");
  std::string out = "{";
  for (uint32_t i = 0; properties != nullptr && i < properties->size(); ++i) {
    const core::json::Member& property = *properties->member(i);
    const bool required = is_required(schema, property.key);
    if (!required && random.one_in(2)) continue;
    const std::string value = valid_value(property.value, random);
    if (value.empty() && required) return {};
    if (!value.empty()) out += (out.size() > 1 ? "," : "") + json_string(property.key) + ":" + value;
  }
  return out + "}";
}

}  // namespace

std::string RandomInput::word() {
  std::string out;
  for (uint64_t i = below(9); i > 0; --i) out += static_cast<char>('a' + below(26));
  return out;
}

std::string RandomInput::text() {
  static constexpr std::array<const char*, 10> kEdgeCases{
      "", " ", "localhost", "+4930123456", "{}", "[", "\xff\xfe", "../../etc/passwd", "\r\nX: y", "true"};
  switch (below(8)) {
    case 0:
      return std::string(kEdgeCases[below(kEdgeCases.size())]);
    case 1:
      return std::string(below(20'000), 'x');
    case 2:
      return json();
    case 3:
      return std::to_string(integer());
    case 4: {
      std::string bytes;
      for (uint64_t i = below(40); i > 0; --i) bytes += static_cast<char>(below(256));
      return bytes;
    }
    default:
      return word();
  }
}

int64_t RandomInput::integer() {
  static constexpr std::array<int64_t, 8> kEdgeCases{0,         1,         -1, INT64_MAX,
                                                     INT64_MIN, 1LL << 32, 20, 1'700'000'000'000};
  return one_in(2) ? kEdgeCases[below(kEdgeCases.size())] : static_cast<int64_t>(below(1000));
}

std::string RandomInput::object(int depth) {
  static constexpr std::array<const char*, 8> kKeys{"id",   "callId", "text",   "number",
                                                    "name", "url",    "status", "events"};
  std::string out = "{";
  std::array<bool, kKeys.size()> used{};
  for (uint64_t i = below(5); i > 0; --i) {
    const uint64_t key = below(kKeys.size());
    if (std::exchange(used[key], true)) continue;
    out += (out.size() > 1 ? "," : "") + json_string(kKeys[key]) + ":" + json(depth - 1);
  }
  return out + "}";
}

std::string RandomInput::json(int depth) {
  switch (below(depth > 0 ? 7 : 5)) {
    case 0:
      return "null";
    case 1:
      return one_in(2) ? "true" : "false";
    case 2:
      return std::to_string(integer());
    case 3:
      return "0.5";
    case 4:
      return json_string(one_in(10) ? std::string(5000, 'y') : word());
    case 5:
      return "[" + json(depth - 1) + "]";
    default:
      return object(depth);
  }
}

std::string valid_value(const Node& schema, RandomInput& random) {
  if (const Node* choices = schema.find("enum"); choices != nullptr && choices->size() > 0)
    return core::json::write(*choices->element(static_cast<uint32_t>(random.below(choices->size()))));
  const Node* fallback = schema.find("default");
  if (fallback != nullptr && random.one_in(4)) return core::json::write(*fallback);
  const std::string type = type_of(schema);
  if (type == "string") return valid_string(schema, random);
  if (type == "integer" || type == "number") return valid_integer(schema, random);
  if (type == "boolean") return random.one_in(2) ? "true" : "false";
  if (type == "array") return valid_array(schema, random);
  if (type == "object") return valid_object(schema, random);
  return {};
}

std::string invalid_value(const Node& schema) {
  const Node* type = schema.find("type");
  if (type == nullptr && schema.find("enum") == nullptr) return {};
  const std::string name = type_of(schema);
  return name == "object" || name == "array" ? "\"x\"" : R"({"not": "this"})";
}

}  // namespace patchbay::app::validate

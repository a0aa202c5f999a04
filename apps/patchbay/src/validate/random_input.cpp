#include "validate/random_input.h"

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

int64_t bound(const Node& schema, const char* name, int64_t otherwise) {
  const Node* node = schema.find(name);
  return node != nullptr ? node->integer(otherwise) : otherwise;
}

bool is_required(const Node& schema, std::string_view key) {
  const Node* list = schema.find("required");
  for (uint32_t i = 0; list != nullptr && i < list->size(); ++i)
    if (list->element(i)->string() == key) return true;
  return false;
}

std::string allowed_text(const Node& schema, Chance& chance) {
  if (schema.find("pattern") != nullptr || schema.find("format") != nullptr) return {};
  const auto least = static_cast<size_t>(bound(schema, "minLength", 0));
  const auto most = static_cast<size_t>(bound(schema, "maxLength", 64));
  std::string text = chance.word();
  while (text.size() < least) text += chance.word() + "x";
  if (text.size() > most) text.resize(std::max(least, most));
  return json_string(text);
}

std::string allowed_integer(const Node& schema, Chance& chance) {
  const int64_t least = bound(schema, "minimum", 0);
  const int64_t most = std::max(least, bound(schema, "maximum", 1'000'000));
  if (chance.one_in(3)) return std::to_string(chance.one_in(2) ? least : most);
  return std::to_string(least + static_cast<int64_t>(chance.below(static_cast<uint64_t>(most - least) + 1)));
}

std::string allowed_array(const Node& schema, Chance& chance) {
  const Node* items = schema.find("items");
  const auto least = static_cast<uint64_t>(bound(schema, "minItems", 0));
  const uint64_t count = least + (items != nullptr ? chance.below(3) : 0);
  std::string out = "[";
  for (uint64_t i = 0; i < count; ++i) {
    const std::string item = items != nullptr ? allowed_by(*items, chance) : "1";
    if (item.empty()) return least == 0 ? "[]" : "";
    out += (i == 0 ? "" : ",") + item;
  }
  return out + "]";
}

std::string allowed_object(const Node& schema, Chance& chance) {
  const Node* properties = schema.find("properties");
  std::string out = "{";
  for (uint32_t i = 0; properties != nullptr && i < properties->size(); ++i) {
    const core::json::Member& property = *properties->member(i);
    const bool required = is_required(schema, property.key);
    if (!required && chance.one_in(2)) continue;
    const std::string value = allowed_by(property.value, chance);
    if (value.empty() && required) return {};
    if (!value.empty()) out += (out.size() > 1 ? "," : "") + json_string(property.key) + ":" + value;
  }
  return out + "}";
}

}  // namespace

std::string Chance::word() {
  std::string out;
  for (uint64_t i = below(9); i > 0; --i) out += static_cast<char>('a' + below(26));
  return out;
}

std::string Chance::text() {
  static constexpr std::array<const char*, 10> kTelling{
      "", " ", "localhost", "+4930123456", "{}", "[", "\xff\xfe", "../../etc/passwd", "\r\nX: y", "true"};
  switch (below(8)) {
    case 0:
      return std::string(kTelling[below(kTelling.size())]);
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

int64_t Chance::integer() {
  static constexpr std::array<int64_t, 8> kTelling{0,         1,         -1, INT64_MAX,
                                                   INT64_MIN, 1LL << 32, 20, 1'700'000'000'000};
  return one_in(2) ? kTelling[below(kTelling.size())] : static_cast<int64_t>(below(1000));
}

std::string Chance::object(int depth) {
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

std::string Chance::json(int depth) {
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

std::string allowed_by(const Node& schema, Chance& chance) {
  if (const Node* choices = schema.find("enum"); choices != nullptr && choices->size() > 0)
    return core::json::write(*choices->element(static_cast<uint32_t>(chance.below(choices->size()))));
  const Node* fallback = schema.find("default");
  if (fallback != nullptr && chance.one_in(4)) return core::json::write(*fallback);
  const std::string type = type_of(schema);
  if (type == "string") return allowed_text(schema, chance);
  if (type == "integer" || type == "number") return allowed_integer(schema, chance);
  if (type == "boolean") return chance.one_in(2) ? "true" : "false";
  if (type == "array") return allowed_array(schema, chance);
  if (type == "object") return allowed_object(schema, chance);
  return {};
}

std::string forbidden_by(const Node& schema) {
  const Node* type = schema.find("type");
  if (type == nullptr && schema.find("enum") == nullptr) return {};
  const std::string name = type_of(schema);
  return name == "object" || name == "array" ? "\"x\"" : R"({"not": "this"})";
}

}  // namespace patchbay::app::validate

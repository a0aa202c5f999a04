#include "config/environment.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "config/yaml.h"

namespace patchbay::core::config {
namespace {

struct Override {
  std::string variable;
  std::string value;
  std::vector<std::string> keys;  // from the root of the file
};

// Folds a character of a key: upper case, _ for - and dot.
char fold_char(char c) noexcept {
  if (c >= 'a' && c <= 'z') return static_cast<char>(c - 32);
  return c == '-' || c == '.' ? '_' : c;
}

bool equal_folded(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return fold_char(x) == fold_char(y); });
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t at = 0;;) {
    const size_t end = text.find("__", at);
    parts.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 2;
  }
}

// Returns the keys that a variable names, or none for other variables.
std::vector<std::string> parse_variable(std::string_view variable) {
  constexpr std::string_view kSections[][2] = {
      {"PATCHBAY_SERVER__", "server"}, {"PATCHBAY_PLUGIN_", "plugins"}, {"PATCHBAY_TENANT_", "tenants"}};
  for (const auto& [prefix, section] : kSections) {
    if (variable.substr(0, prefix.size()) != prefix) continue;
    std::vector<std::string> keys = split(variable.substr(prefix.size()));
    keys.insert(keys.begin(), std::string(section));
    return keys;
  }
  return {};
}

const json::Node* schema_of(const json::Node* schema, std::string_view key, bool list) {
  if (!schema) return nullptr;
  if (list) return schema->find("items");
  const json::Node* properties = schema->find("properties");
  if (const json::Node* found = properties ? properties->find(key) : nullptr) return found;
  return schema->find("additionalProperties");
}

std::string find_spelling(const Value& map, const json::Node* schema, const std::string& key) {
  if (map.find(key)) return key;
  for (const Entry& entry : map.entries)
    if (equal_folded(entry.key, key)) return entry.key;
  const json::Node* properties = schema ? schema->find("properties") : nullptr;
  for (uint32_t i = 0; properties && i < properties->size(); ++i)
    if (equal_folded(properties->member(i)->key, key)) return std::string(properties->member(i)->key);
  return key;
}

class OverrideApplier {
 public:
  OverrideApplier(const json::Node& schema, Value& root) : schema_(&schema), at_(&root) {}

  // Returns "" or the error.
  std::string run(const Override& setting) {
    if (setting.keys[0] != "server" && setting.keys.size() < 3) return "would replace a whole section";
    for (size_t i = 0; i < setting.keys.size(); ++i) {
      const std::string& key = setting.keys[i];
      if (key.empty()) return "names an empty key";
      if (at_->kind == Value::Kind::list ? !step_into_list(key) : !step_into_map(key, setting, i == 1))
        return at_->kind == Value::Kind::list ? "names a list item that does not exist" : error_;
    }
    if (at_->kind == Value::Kind::list || at_->kind == Value::Kind::map)
      return "would replace a whole section";
    *at_ = {Value::Kind::plain, {0, 0, setting.variable}, setting.value, {}, {}};
    return {};
  }

 private:
  bool step_into_list(const std::string& key) {
    size_t index = 0;
    const auto read = std::from_chars(key.data(), key.data() + key.size(), index);
    if (read.ec != std::errc() || read.ptr != key.data() + key.size() || index >= at_->items.size())
      return false;
    schema_ = schema_of(schema_, key, true);
    at_ = &at_->items[index];
    return true;
  }

  bool step_into_map(const std::string& key, const Override& setting, bool is_section_name) {
    if (at_->kind == Value::Kind::null) at_->kind = Value::Kind::map;
    if (at_->kind != Value::Kind::map) {
      error_ = "names a key inside a plain value";
      return false;
    }
    const std::string name = find_spelling(*at_, schema_, key);
    Entry* entry = at_->find(name);
    if (!entry && is_section_name && setting.keys[0] != "server") {
      error_ = "names no entry under " + setting.keys[0] + " of the file";
      return false;
    }
    if (!entry) entry = &at_->entries.emplace_back(Entry{name, {0, 0, setting.variable}, {}});
    entry->mark = {0, 0, setting.variable};
    schema_ = schema_of(schema_, name, false);
    at_ = &entry->value;
    return true;
  }

  const json::Node* schema_;
  Value* at_;
  std::string error_;
};

}  // namespace

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

void apply_environment(const Environment& environment, const json::Node& schema, Value& root,
                       std::vector<Problem>& problems) {
  for (const auto& [variable, value] : environment) {
    const Override setting{variable, value, parse_variable(variable)};
    if (setting.keys.empty()) continue;
    const std::string error = OverrideApplier(schema, root).run(setting);
    if (!error.empty()) problems.push_back({"environment variable " + variable, 0, 0, "", error, ""});
  }
}

std::string variable_name(std::string_view name) {
  std::string out;
  for (char c : name) out += fold_char(c);
  return out;
}

}  // namespace patchbay::core::config

#include "support/openapi_check.h"

#include <patchbay/text.h>

#include <algorithm>
#include <regex>

#include "json/parse.h"
#include "json/writer.h"

namespace patchbay::test {
namespace {

using core::json::Node;
using core::json::Type;

std::string text_of(const Node* node) {
  return node == nullptr ? std::string() : std::string(node->string());
}

bool is_of(const std::string& type, const Node& value) {
  if (type == "integer") return value.is_integer();
  static constexpr std::pair<const char*, Type> kTypes[] = {
      {"null", Type::null},     {"boolean", Type::boolean}, {"number", Type::number},
      {"string", Type::string}, {"array", Type::array},     {"object", Type::object}};
  return std::any_of(std::begin(kTypes), std::end(kTypes),
                     [&](const auto& known) { return type == known.first && value.is(known.second); });
}

const Node* walk(const Node* node, std::initializer_list<std::string_view> path) {
  for (const auto name : path) node = node == nullptr ? nullptr : node->find(name);
  return node;
}

class Checker {
 public:
  explicit Checker(const Node& document) : document_(document) {}

  void run(const Node& schema, const Node& value, const std::string& path) {
    if (const Node* reference = schema.find("$ref")) return follow(text_of(reference), value, path);
    if (const Node* any = schema.find("anyOf")) return any_of(*any, value, path);
    if (!has_type(schema, value)) return fault(path, "is " + std::string(type_name(value.type())));
    if (const Node* choices = schema.find("enum")) one_of(*choices, value, path);
    if (value.is(Type::string)) text(schema, value, path);
    if (value.is(Type::number)) number(schema, value, path);
    if (value.is(Type::array)) array(schema, value, path);
    if (value.is(Type::object)) object(schema, value, path);
  }

  std::vector<std::string> faults;

 private:
  void fault(const std::string& path, const std::string& what) {
    faults.push_back((path.empty() ? "the body" : path) + " " + what);
  }
  void follow(const std::string& reference, const Node& value, const std::string& path) {
    const Node* node = &document_;
    for (size_t at = 2; node != nullptr && at < reference.size();) {
      const size_t end = std::min(reference.find('/', at), reference.size());
      node = node->find(reference.substr(at, end - at));
      at = end + 1;
    }
    if (node == nullptr) return fault(path, "has a schema that is not there: " + reference);
    run(*node, value, path);
  }
  void any_of(const Node& schemas, const Node& value, const std::string& path) {
    std::string why;
    for (uint32_t i = 0; i < schemas.size(); ++i) {
      const auto wrong = schema_faults(*schemas.element(i), value, document_);
      if (wrong.empty()) return;
      why += (why.empty() ? "" : "; or ") + wrong.front();
    }
    fault(path, "is none of those it may be: " + why);
  }
  static bool has_type(const Node& schema, const Node& value) {
    const Node* type = schema.find("type");
    if (type == nullptr) return true;
    if (type->is(Type::string)) return is_of(text_of(type), value);
    for (uint32_t i = 0; i < type->size(); ++i)
      if (is_of(text_of(type->element(i)), value)) return true;
    return false;
  }
  void one_of(const Node& choices, const Node& value, const std::string& path) {
    for (uint32_t i = 0; i < choices.size(); ++i)
      if (equal(*choices.element(i), value)) return;
    fault(path, "is none of its enum: " + core::json::write(value));
  }
  void text(const Node& schema, const Node& value, const std::string& path) {
    const Node* pattern = schema.find("pattern");
    if (pattern == nullptr) return;
    if (!std::regex_search(text_of(&value), std::regex(text_of(pattern))))
      fault(path, "does not match " + text_of(pattern) + ": " + text_of(&value));
  }
  void number(const Node& schema, const Node& value, const std::string& path) {
    const Node* minimum = schema.find("minimum");
    const Node* maximum = schema.find("maximum");
    if (minimum != nullptr && value.number() < minimum->number()) fault(path, "is below its minimum");
    if (maximum != nullptr && value.number() > maximum->number()) fault(path, "is above its maximum");
  }
  void array(const Node& schema, const Node& value, const std::string& path) {
    const Node* items = schema.find("items");
    for (uint32_t i = 0; items != nullptr && i < value.size(); ++i)
      run(*items, *value.element(i), path + "[" + std::to_string(i) + "]");
  }
  void object(const Node& schema, const Node& value, const std::string& path) {
    const Node* required = schema.find("required");
    for (uint32_t i = 0; required != nullptr && i < required->size(); ++i)
      if (value.find(required->element(i)->string()) == nullptr)
        fault(path, "lacks " + text_of(required->element(i)));
    const Node* properties = schema.find("properties");
    const Node* additional = schema.find("additionalProperties");
    for (uint32_t i = 0; i < value.size(); ++i) {
      const auto& member = *value.member(i);
      const std::string inner = path + (path.empty() ? "" : ".") + std::string(member.key);
      const Node* rule = properties != nullptr ? properties->find(member.key) : nullptr;
      const bool stated = additional != nullptr && (!additional->is(Type::boolean) || additional->boolean());
      if (rule == nullptr && additional != nullptr && additional->is(Type::object)) rule = additional;
      if (rule != nullptr)
        run(*rule, member.value, inner);
      else if (properties != nullptr && !stated)
        fault(inner, "is not documented");
    }
  }

  const Node& document_;
};

}  // namespace

std::vector<std::string> schema_faults(const Node& schema, const Node& value, const Node& document) {
  Checker checker(document);
  checker.run(schema, value, "");
  return std::move(checker.faults);
}

Result<OpenApi> OpenApi::parse(std::string_view text) {
  OpenApi api;
  PB_TRY_VALUE(api.document_, core::json::parse(text));
  return api;
}

std::vector<std::string> OpenApi::faults(const std::string& method, const std::string& path, long status,
                                         const std::string& body) {
  const std::string name = method + " " + path + " " + std::to_string(status);
  const Node* answer =
      walk(&document_.root(), {"paths", path, to_lower(method), "responses", std::to_string(status)});
  if (answer == nullptr) return {name + " is not documented: " + body};
  const Node* content = answer->find("content");
  const Node* json = content == nullptr ? nullptr : content->find("application/json");
  const Node* schema = json == nullptr ? nullptr : json->find("schema");
  if (schema == nullptr) return {name + " has no schema"};
  const auto parsed = core::json::parse(body);
  if (!parsed) return {name + ": " + parsed.error().text};
  auto faults = schema_faults(*schema, parsed->root(), document_.root());
  for (std::string& fault : faults) fault = name + ": " + fault;
  if (faults.empty()) seen_.insert(name);
  return faults;
}

std::vector<std::string> OpenApi::unseen(const std::vector<std::string>& paths) const {
  std::vector<std::string> all;
  const Node* documented = document_.root().find("paths");
  for (uint32_t i = 0; documented != nullptr && i < documented->size(); ++i) {
    const auto& path = *documented->member(i);
    const bool wanted = std::any_of(paths.begin(), paths.end(),
                                    [&](const std::string& start) { return path.key.rfind(start, 0) == 0; });
    for (uint32_t n = 0; wanted && n < path.value.size(); ++n) {
      const auto& operation = *path.value.member(n);
      std::string method(operation.key);
      for (char& c : method) c = static_cast<char>(c & ~0x20);
      const Node* responses = operation.value.find("responses");
      for (uint32_t k = 0; responses != nullptr && k < responses->size(); ++k) {
        const std::string status(responses->member(k)->key);
        const std::string name = method + " " + std::string(path.key) + " " + status;
        const Node* content = responses->member(k)->value.find("content");
        const bool is_page = content != nullptr && content->find("text/html") != nullptr &&
                             content->find("application/json") == nullptr;
        if (status.front() == '2' && !is_page && seen_.count(name) == 0) all.push_back(name);
      }
    }
  }
  return all;
}

}  // namespace patchbay::test

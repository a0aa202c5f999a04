#include "plugins/manifest.h"

#include <algorithm>
#include <utility>

#include "json/parse.h"
#include "json/schema.h"

namespace patchbay::core {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object", "additionalProperties": false, "required": ["id", "version"],
  "properties": {
    "id": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$", "maxLength": 32,
           "x-rule": "begin with a lower-case letter and hold only lower-case letters, digits and -"},
    "version": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+", "maxLength": 64,
                "x-rule": "be three numbers with dots", "example": "1.0.0"},
    "summary": {"type": "string", "maxLength": 400},
    "license": {"type": "string", "maxLength": 100},
    "provides": {"type": "array", "items": {"type": "string", "maxLength": 128}, "maxItems": 64},
    "requires": {"type": "array", "items": {"type": "string", "maxLength": 128}, "maxItems": 64},
    "optional": {"type": "array", "items": {"type": "string", "maxLength": 128}, "maxItems": 64},
    "emits": {"type": "array", "items": {"type": "string", "maxLength": 128}, "maxItems": 256},
    "isolation": {"enum": ["none", "process"]},
    "config": {"type": "object", "additionalProperties": false, "properties": {
      "plugin": {"type": "object", "additionalProperties": true},
      "tenant": {"type": "object", "additionalProperties": true},
      "WebPhone": {"type": "object", "additionalProperties": true}}}
  }})";

const json::Schema& manifest_schema() {
  static const json::Schema schema = [] {
    auto compiled = json::Schema::compile(kSchema);
    return compiled ? std::move(*compiled) : json::Schema();
  }();
  return schema;
}

std::string text_of(const json::Node& root, std::string_view key) {
  const json::Node* node = root.find(key);
  return node != nullptr ? std::string(node->string()) : std::string();
}

std::vector<std::string> list_of(const json::Node& root, std::string_view key) {
  std::vector<std::string> list;
  const json::Node* node = root.find(key);
  for (uint32_t i = 0; node != nullptr && i < node->size(); ++i)
    list.emplace_back(node->element(i)->string());
  return list;
}

// "line 3, column 14: id must ..."
Error placed(std::string_view text, const json::Violation& what) {
  const json::Position at = json::position(text, what.origin == 0 ? 0 : what.origin - 1);
  return {Code::invalid, "line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " +
                             what.sentence()};
}

Status check_schemas(const json::Node* config) {
  for (uint32_t i = 0; config != nullptr && i < config->size(); ++i) {
    const json::Member& member = *config->member(i);
    auto compiled = json::Schema::compile(member.value);
    const Status sound = compiled ? compiled->check_defaults() : Status(std::move(compiled).error());
    if (!sound.ok()) return Error(sound.error()).within("config." + std::string(member.key));
  }
  return {};
}

}  // namespace

bool is_plugin_id(std::string_view id) {
  return !id.empty() && id.size() <= 32 && id.front() >= 'a' && id.front() <= 'z' &&
         std::all_of(id.begin(), id.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

Result<Manifest> Manifest::parse(std::string_view text) {
  PB_TRY_VALUE(json::Document parsed, json::parse(text));
  auto document = std::make_shared<const json::Document>(std::move(parsed));
  json::CheckOptions options;
  options.mode = json::Mode::config;
  const json::Checked checked = manifest_schema().check(document->root(), options);
  if (!checked.ok()) return placed(text, checked.violations.front());
  const json::Node& root = document->root();
  Manifest manifest;
  manifest.id = text_of(root, "id");
  manifest.version = text_of(root, "version");
  manifest.summary = text_of(root, "summary");
  manifest.license = text_of(root, "license");
  manifest.provides = list_of(root, "provides");
  manifest.requires_ = list_of(root, "requires");
  manifest.optional = list_of(root, "optional");
  manifest.emits = list_of(root, "emits");
  manifest.isolated = text_of(root, "isolation") == "process";
  manifest.config = root.find("config");
  PB_TRY(check_schemas(manifest.config));
  manifest.document = std::move(document);
  return manifest;
}

}  // namespace patchbay::core

#include "plugins/manifest.h"

#include <algorithm>
#include <utility>

#include "bus/topic_name.h"
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
    "emits": {"type": "array", "maxItems": 256, "items": {
      "type": ["string", "object"], "maxLength": 128, "required": ["topic"], "additionalProperties": false,
      "properties": {
        "topic": {"type": "string", "maxLength": 128},
        "summary": {"type": "string", "maxLength": 400},
        "subject": {"type": "string", "maxLength": 100},
        "schema": {"type": "object", "additionalProperties": true}}}},
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

// Topics of the core are the core's to emit. The schema is compiled so that a keyword that nothing checks is
// found here, as in `config`.
Result<EmittedEvent> read_event(const json::Node& node) {
  EmittedEvent event;
  if (!node.is(json::Type::object)) {
    event.topic = node.string();
  } else {
    event.topic = text_of(node, "topic");
    event.summary = text_of(node, "summary");
    event.subject = text_of(node, "subject");
    event.schema = node.find("schema");
  }
  if (!valid_topic(event.topic) || reserved_topic(event.topic))
    return {Code::invalid,
            "a topic is words of letters, digits, - and _ with dots between them, and does not begin with "
            "core."};
  if (event.schema != nullptr) {
    auto compiled = json::Schema::compile(*event.schema);
    if (!compiled) return std::move(compiled).error().within("schema");
  }
  return event;
}

Result<std::vector<EmittedEvent>> events_of(const json::Node& root) {
  std::vector<EmittedEvent> events;
  const json::Node* list = root.find("emits");
  for (uint32_t i = 0; list != nullptr && i < list->size(); ++i) {
    auto event = read_event(*list->element(i));
    if (!event) return std::move(event).error().within("emits[" + std::to_string(i) + "]");
    events.push_back(*std::move(event));
  }
  return events;
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
  PB_TRY_VALUE(manifest.emits, events_of(root));
  manifest.isolated = text_of(root, "isolation") == "process";
  manifest.config = root.find("config");
  PB_TRY(check_schemas(manifest.config));
  manifest.document = std::move(document);
  return manifest;
}

}  // namespace patchbay::core

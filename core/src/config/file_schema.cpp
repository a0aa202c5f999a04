#include "config/file_schema.h"

#include <algorithm>

#include "config/core_settings_schema.h"
#include "config/reserved_webphone_keys.h"
#include "json/parse.h"
#include "json/writer.h"

namespace patchbay::core::config {
namespace {

using json::Node;
using json::Writer;

const Node* schema_part(const PluginSchema& plugin, std::string_view name) {
  return plugin.config ? plugin.config->find(name) : nullptr;
}

// True when the manifest is known and has no schema for the section.
bool is_closed(const PluginSchema& plugin, const Node* schema) { return plugin.config && !schema; }

// Writes a section's schema. A missing section gets its defaults, unless one of its keys is required.
void write_section(Writer& out, const PluginSchema& plugin, const Node* schema) {
  out.begin_object();
  const Node* required = schema ? schema->find("required") : nullptr;
  if (!schema || !schema->find("type")) out.member("type", "object");
  if (is_closed(plugin, schema)) out.member("additionalProperties", false);
  for (uint32_t i = 0; schema && i < schema->size(); ++i) {
    const json::Member& member = *schema->member(i);
    if (member.key != "default") out.key(member.key).value(member.value);
  }
  if (!required || required->size() == 0) out.key("default").begin_object().end_object();
  out.end_object();
}

// Writes the schema of a plugin's section: the plugin's keys and the core's.
void write_plugin_section(Writer& out, const PluginSchema& plugin, const Node* schema) {
  const Node* properties = schema ? schema->find("properties") : nullptr;
  out.begin_object();
  if (!schema || !schema->find("type")) out.member("type", "object");
  for (uint32_t i = 0; schema && i < schema->size(); ++i) {
    const json::Member& member = *schema->member(i);
    if (member.key != "default" && member.key != "properties") out.key(member.key).value(member.value);
  }
  if (!properties && !is_closed(plugin, schema) && !(schema && schema->find("additionalProperties")))
    out.member("additionalProperties", true);
  out.key("properties").begin_object();
  out.key("isolation").raw(plugin.isolated ? kIsolatedSchema : kInProcessSchema);
  out.key("restarts").raw(kRestartsSchema).key("paths").raw(kPathsSchema);
  for (uint32_t i = 0; properties && i < properties->size(); ++i) {
    const json::Member& member = *properties->member(i);
    if (!is_core_key(member.key)) out.key(member.key).value(member.value);
  }
  out.end_object().key("default").begin_object().end_object().end_object();
}

Status write_merged(Writer& out, const std::vector<const Node*>& schemas);

bool is_section(const Node& schema) { return schema.find("properties") && !schema.find("default"); }

// Writes the schema of one key that several plugins may declare.
Status write_shared(Writer& out, std::string_view key, const std::vector<const Node*>& schemas) {
  out.key(key);
  bool sections = true;
  for (const Node* schema : schemas) {
    const Node* fallback = schema->find("default");
    sections = sections &&
               (is_section(*schema) || (schema->find("properties") && fallback && fallback->size() == 0));
  }
  if (sections) return write_merged(out, schemas);
  for (const Node* schema : schemas)
    if (!json::equal(*schema, *schemas.front()))
      return {Code::conflict, "two plugins declare WebPhone key " + std::string(key) + " differently"};
  out.value(*schemas.front());
  return {};
}

void write_required(Writer& out, const std::vector<const Node*>& schemas) {
  out.key("required").begin_array();
  for (const Node* schema : schemas) {
    const Node* names = schema->find("required");
    for (uint32_t i = 0; names && i < names->size(); ++i) out.value(*names->element(i));
  }
  out.end_array();
}

bool any_required(const std::vector<const Node*>& schemas) {
  for (const Node* schema : schemas) {
    const Node* names = schema->find("required");
    if (names && names->size() > 0) return true;
  }
  return false;
}

std::vector<const Node*> with_key(const std::vector<const Node*>& schemas, std::string_view key) {
  std::vector<const Node*> found;
  for (const Node* schema : schemas) {
    const Node* properties = schema->find("properties");
    if (const Node* node = properties ? properties->find(key) : nullptr) found.push_back(node);
  }
  return found;
}

// Writes one object schema with the properties of all `schemas`.
Status write_merged(Writer& out, const std::vector<const Node*>& schemas) {
  out.begin_object().member("type", "object");
  write_required(out, schemas);
  if (!any_required(schemas)) out.key("default").begin_object().end_object();
  out.key("properties").begin_object();
  std::vector<std::string_view> done;
  for (const Node* schema : schemas) {
    const Node* properties = schema->find("properties");
    for (uint32_t i = 0; properties && i < properties->size(); ++i) {
      const std::string_view key = properties->member(i)->key;
      if (std::find(done.begin(), done.end(), key) != done.end()) continue;
      done.push_back(key);
      PB_TRY(write_shared(out, key, with_key(schemas, key)));
    }
  }
  out.end_object().end_object();
  return {};
}

Status write_tenant(Writer& out, const std::vector<PluginSchema>& plugins) {
  out.begin_object().member("type", "object").key("properties").begin_object();
  out.key("primary").raw(R"({"type":"boolean"})").key("name").raw(R"({"type":"string","maxLength":100})");
  std::vector<const Node*> shared;
  for (const PluginSchema& plugin : plugins)
    if (const Node* schema = schema_part(plugin, "WebPhone")) shared.push_back(schema);
  PB_TRY_VALUE(const json::Document tunables, json::parse(kReservedWebPhoneKeys));
  shared.push_back(&tunables.root());
  out.key("WebPhone");
  PB_TRY(write_merged(out, shared));
  for (const PluginSchema& plugin : plugins) {
    out.key(plugin.name);
    write_section(out, plugin, schema_part(plugin, "tenant"));
  }
  out.end_object().end_object();
  return {};
}

}  // namespace

bool is_core_key(std::string_view key) { return key == "isolation" || key == "restarts" || key == "paths"; }

std::string outer_file_schema() {
  constexpr std::string_view kAnyMappings =
      R"({"type":"object","default":{},"additionalProperties":{"type":"object"}})";
  Writer out;
  out.begin_object().member("type", "object").key("properties").begin_object();
  out.key("server").raw(kServerSchema).key("plugins").raw(kAnyMappings).key("tenants").raw(kAnyMappings);
  out.end_object().end_object();
  return out.take();
}

Result<std::string> full_file_schema(const std::vector<PluginSchema>& plugins) {
  Writer out;
  out.begin_object().member("type", "object").key("properties").begin_object();
  out.key("server").raw(kServerSchema);
  out.key("plugins").begin_object().member("type", "object").key("properties").begin_object();
  for (const PluginSchema& plugin : plugins) {
    out.key(plugin.name);
    write_plugin_section(out, plugin, schema_part(plugin, "plugin"));
  }
  out.end_object().key("default").begin_object().end_object().end_object();
  out.key("tenants").begin_object().member("type", "object").key("default").begin_object().end_object();
  out.key("additionalProperties");
  PB_TRY(write_tenant(out, plugins));
  out.end_object().end_object().end_object();
  return out.take();
}

}  // namespace patchbay::core::config

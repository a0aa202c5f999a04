// patchbay plugin inspect: shows what a plugin's file needs and provides, without running its code.
#include <cstdio>
#include <memory>
#include <utility>

#include "json/writer.h"
#include "plugin_inspect/plugin_file_checks.h"
#include "plugin_verbs.h"
#include "server_verb.h"
#include "store/schema_parser.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::json::Node;

void print_list(const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::printf("%-10s", title);
  for (const std::string& name : names) std::printf(" %s", harmless(name).c_str());
  std::printf("\n");
}

// The keys of one configuration section, with type, description and default of each.
void print_keys(const std::string& where, const Node* schema) {
  const Node* properties = schema != nullptr ? schema->find("properties") : nullptr;
  if (properties == nullptr || properties->size() == 0) return;
  std::printf("%s\n", where.c_str());
  for (uint32_t i = 0; i < properties->size(); ++i) {
    const core::json::Member& key = *properties->member(i);
    const std::string fallback = member(key.value, "default");
    std::printf("    %-26s %-8s %s%s%s%s\n", harmless(key.key).c_str(), member(key.value, "type").c_str(),
                member(key.value, "description").c_str(), fallback.empty() ? "" : " [", fallback.c_str(),
                fallback.empty() ? "" : "]");
  }
}

std::vector<std::string> exports_of(const core::ElfFile& file) {
  std::vector<std::string> names;
  for (const auto& symbol : file.exported()) names.emplace_back(symbol.name);
  return names;
}

std::string store_text(const std::string& sql) {
  if (sql.empty()) return "no tables";
  const auto schema = core::parse_schema(sql);
  if (!schema) return "SQL that is not valid";
  return std::to_string(schema->migrations.size()) + " migrations, " +
         std::to_string(schema->statements.size()) + " statements";
}

void print_manifest(const core::Manifest& manifest) {
  std::printf("%s %s: %s\n", manifest.id.c_str(), harmless(manifest.version).c_str(),
              harmless(manifest.summary).c_str());
  if (!manifest.license.empty()) std::printf("licence    %s\n", harmless(manifest.license).c_str());
  print_list("provides", manifest.provides);
  print_list("requires", manifest.requires_);
  print_list("optional", manifest.optional);
  std::vector<std::string> internal, webhooks;
  for (const core::EmittedEvent& event : manifest.emits)
    (event.schema != nullptr ? webhooks : internal).push_back(event.topic);
  print_list("emits", internal);
  print_list("webhooks", webhooks);
}

void print_config(const core::Manifest& manifest) {
  if (manifest.config == nullptr) return;
  print_keys("plugins." + manifest.id + ":", manifest.config->find("plugin"));
  print_keys("tenants.<host>." + manifest.id + ":", manifest.config->find("tenant"));
  print_keys("tenants.<host>.WebPhone:", manifest.config->find("WebPhone"));
}

void print(const Inspection& inspection) {
  if (inspection.source) print_manifest(inspection.source->manifest);
  if (inspection.entry)
    std::printf("ABI        %u.%u, entry of %u bytes\n", inspection.entry->abi_major,
                inspection.entry->abi_minor, inspection.entry->size);
  if (inspection.file) {
    print_list("exports", exports_of(*inspection.file));
    print_list("libraries", inspection.file->needed());
  }
  if (inspection.source) {
    std::printf("store      %s\n", store_text(inspection.source->store_sql).c_str());
    print_config(inspection.source->manifest);
  }
  for (const Finding& each : inspection.findings)
    std::printf("%s %s\n", each.fatal ? "would not load:" : "remark:", harmless(each.sentence()).c_str());
}

void print_json(const Inspection& inspection) {
  core::json::Writer out;
  out.begin_object().member("loads", inspection.reason() == nullptr);
  if (inspection.source) out.key("manifest").value(inspection.source->manifest.document->root());
  if (inspection.entry) {
    out.key("abi")
        .begin_object()
        .member("major", inspection.entry->abi_major)
        .member("minor", inspection.entry->abi_minor);
    out.member("entryBytes", inspection.entry->size).end_object();
  }
  if (inspection.file) {
    out.key("exports").begin_array();
    for (const std::string& name : exports_of(*inspection.file)) out.value(std::string_view(name));
    out.end_array().key("libraries").begin_array();
    for (const std::string& library : inspection.file->needed()) out.value(std::string_view(library));
    out.end_array();
  }
  out.key("findings").begin_array();
  for (const Finding& each : inspection.findings) {
    out.begin_object().member("check", each.check).member("fatal", each.fatal);
    out.member("text", each.text).member("fix", each.fix).end_object();
  }
  std::printf("%s\n", out.end_array().end_object().text().c_str());
}

int inspect(const std::string& file, bool json) {
  const Inspection inspection = inspect_plugin(file);
  if (json) {
    print_json(inspection);
  } else if (!inspection.file) {
    return report({Code::invalid, file + ": " + inspection.reason()->sentence()});
  } else {
    print(inspection);
  }
  return inspection.reason() == nullptr ? kDone : kConfiguration;
}

}  // namespace

void add_plugin_inspect(Verb plugin, int& exit_code) {
  struct Command {
    std::string file;
    bool json = false;
  };
  Verb verb =
      plugin.add_verb("inspect", "Show what a plugin's file needs and provides, without running its code");
  const auto command = std::make_shared<Command>();
  verb.add_option("FILE", command->file, "The plugin's .so").required();
  verb.add_flag("--json", command->json, "Print it as JSON");
  verb.footer("Examples:\n  patchbay plugin inspect build/release/plugins/webhooks.so");
  verb.callback([command, &exit_code] { exit_code = inspect(command->file, command->json); });
}

}  // namespace patchbay::app

// patchbay plugin: what runs in a server, and what a plugin's file says of itself.
#include <cstdio>
#include <memory>

#include "admin_client.h"
#include "json/writer.h"
#include "plugins/elf_file.h"
#include "plugins/plugin_source.h"
#include "plugin_verbs.h"
#include "text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::json::Node;

void add_list(CLI::App& verb, int& exit_code) {
  CLI::App& list =
      *verb.add_subcommand("list", "What runs in the server, and why what does not run does not");
  const auto options = std::make_shared<ServerOptions>();
  add_server_options(list, *options);
  list.footer("Examples:\n  patchbay plugin list\n  patchbay plugin list --json");
  list.callback([options, &exit_code] {
    exit_code = exchange(*options, "GET", "/local/plugins", {}, {},
                         [](const Node& plugins) { std::fputs(plugins_table(plugins).c_str(), stdout); });
  });
}

void print_list(const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::printf("%-10s", title);
  for (const std::string& name : names) std::printf(" %s", harmless(name).c_str());
  std::printf("\n");
}

// The keys of one part of the configuration, with what the schema says of them.
void print_keys(const char* where, const Node* schema) {
  const Node* properties = schema != nullptr ? schema->find("properties") : nullptr;
  if (properties == nullptr || properties->size() == 0) return;
  std::printf("%s\n", where);
  for (uint32_t i = 0; i < properties->size(); ++i) {
    const core::json::Member& key = *properties->member(i);
    const std::string fallback = member(key.value, "default");
    std::printf("    %-26s %-8s %s%s%s%s\n", harmless(key.key).c_str(), member(key.value, "type").c_str(),
                member(key.value, "description").c_str(), fallback.empty() ? "" : " [", fallback.c_str(),
                fallback.empty() ? "" : "]");
  }
}

int inspect(const std::string& file, bool json) {
  const auto source = core::read_plugin_file(file);
  if (!source) return report({Code::invalid, file + ": " + source.error().text});
  const core::Manifest& manifest = source->manifest;
  if (json) {
    std::printf("%s\n", core::json::write(manifest.document->root()).c_str());
    return kDone;
  }
  std::printf("%s %s: %s\n", manifest.id.c_str(), harmless(manifest.version).c_str(),
              harmless(manifest.summary).c_str());
  if (!manifest.license.empty()) std::printf("licence    %s\n", harmless(manifest.license).c_str());
  print_list("provides", manifest.provides);
  print_list("requires", manifest.requires_);
  print_list("optional", manifest.optional);
  print_list("emits", manifest.emits);
  if (const auto elf = core::ElfFile::read(file)) print_list("libraries", elf->needed());
  std::printf("store      %s\n", source->store_sql.empty() ? "no tables" : "tables of its own");
  if (manifest.config == nullptr) return kDone;
  print_keys(("plugins." + manifest.id + ":").c_str(), manifest.config->find("plugin"));
  print_keys(("tenants.<host>." + manifest.id + ":").c_str(), manifest.config->find("tenant"));
  print_keys("tenants.<host>.WebPhone:", manifest.config->find("WebPhone"));
  return kDone;
}

void add_inspect(CLI::App& verb, int& exit_code) {
  struct Command {
    std::string file;
    bool json = false;
  };
  CLI::App& inspects = *verb.add_subcommand("inspect", "Read a plugin's manifest, without running its code");
  const auto command = std::make_shared<Command>();
  inspects.add_option("FILE", command->file, "The plugin's .so")->required();
  inspects.add_flag("--json", command->json, "Print the manifest as JSON");
  inspects.footer("Examples:\n  patchbay plugin inspect build/release/plugins/webhooks.so");
  inspects.callback([command, &exit_code] { exit_code = inspect(command->file, command->json); });
}

}  // namespace

void add_plugin(CLI::App& app, int& exit_code) {
  CLI::App& verb = *app.add_subcommand("plugin", "Plugins");
  verb.require_subcommand(1);
  verb.footer("Examples:\n  patchbay plugin list\n  patchbay plugin inspect webhooks.so\n  patchbay plugin new call-meter");
  add_list(verb, exit_code);
  add_inspect(verb, exit_code);
  add_plugin_new(verb, exit_code);
}

}  // namespace patchbay::app

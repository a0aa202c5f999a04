// patchbay plugin: lists the server's plugins, and groups the verbs for plugin files (plugin_verbs.h).
#include <cstdio>
#include <memory>

#include "admin_client.h"
#include "answer_tables.h"
#include "json/parse.h"
#include "plugin_verbs.h"
#include "server_verb.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::json::Node;

// Prints routes that the server refused to running plugins; nothing when the server cannot be asked.
void print_refused_routes(const ServerOptions& options) {
  auto client = AdminClient::connect(options);
  if (!client) return;
  const auto answer = client->request("GET", "/readyz");
  const auto ready = core::json::parse(answer ? answer->body : "{}");
  if (!ready) return;
  for (const std::string& route : refused_routes(ready->root()))
    std::printf("route refused: %s\n", route.c_str());
}

int list_plugins(const ServerOptions& options) {
  const int code = exchange(options, "GET", "/local/plugins", {}, {},
                            [](const Node& plugins) { std::fputs(plugins_table(plugins).c_str(), stdout); });
  if (code == kDone && !options.json) print_refused_routes(options);
  return code;
}

void add_list(CLI::App& verb, int& exit_code) {
  CLI::App& list =
      *verb.add_subcommand("list", "List the server's plugins with their state, and why some do not run");
  const auto options = std::make_shared<ServerOptions>();
  add_server_options(list, *options);
  list.footer("Examples:\n  patchbay plugin list\n  patchbay plugin list --json");
  list.callback([options, &exit_code] { exit_code = list_plugins(*options); });
}

}  // namespace

void add_plugin(CLI::App& app, int& exit_code) {
  CLI::App& verb = *app.add_subcommand("plugin", "Plugins");
  verb.require_subcommand(1);
  verb.footer(
      "Examples:\n  patchbay plugin list\n  patchbay plugin inspect webhooks.so\n  patchbay plugin doctor -c "
      "patchbay.yaml\n  patchbay plugin new call-meter\n  patchbay plugin run call-meter.so --watch");
  add_list(verb, exit_code);
  add_plugin_inspect(verb, exit_code);
  add_plugin_doctor(verb, exit_code);
  add_plugin_new(verb, exit_code);
  add_plugin_run(verb, exit_code);
  add_plugin_validate(verb, exit_code);
}

}  // namespace patchbay::app

// patchbay plugin: what runs in a server; and the verbs about plugins' files, which have files of their own.
#include <cstdio>
#include <memory>

#include "admin_client.h"
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

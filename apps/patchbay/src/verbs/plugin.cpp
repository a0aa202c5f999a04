// patchbay plugin: what runs in a server; and the verbs about plugins' files, which have files of their own.
#include <cstdio>
#include <memory>

#include "admin_client.h"
#include "json/parse.h"
#include "plugin_verbs.h"
#include "text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::json::Node;

// Of plugins that run, but not whole. Nothing when the server does not say.
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
      *verb.add_subcommand("list", "What runs in the server, and why what does not run does not");
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

// patchbay plugin list: lists the server's plugins, and the routes that it refused to them.
#include <cstdio>
#include <memory>

#include "admin_client.h"
#include "answer_tables.h"
#include "json/parse.h"
#include "plugin_verbs.h"
#include "server_verb.h"

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

}  // namespace

void add_plugin_list(Verb plugin, int& exit_code) {
  Verb verb = plugin.add_verb("list", "List the server's plugins with their state, and why some do not run");
  const auto options = std::make_shared<ServerOptions>();
  add_server_options(verb, *options);
  verb.footer("Examples:\n  patchbay plugin list\n  patchbay plugin list --json");
  verb.callback([options, &exit_code] { exit_code = list_plugins(*options); });
}

}  // namespace patchbay::app

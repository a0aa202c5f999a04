// patchbay trunk: the configured trunks, and whether they are up.
#include <cstdio>
#include <memory>

#include "list_request.h"
#include "list_table.h"
#include "server_verb.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kTrunksPath = "/api.ashx/v1/admin/trunks";

struct TrunkOptions {
  ServerOptions server;
  int limit = kAllRows;
};

void add_trunk_list(Verb trunk, int& exit_code) {
  Verb verb = trunk.add_verb("list", "List the trunks of the configuration, and whether they are up");
  const auto options = std::make_shared<TrunkOptions>();
  add_limit_option(verb, options->limit);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay trunk list\n  patchbay trunk list --tenant voice.example.com --json");
  verb.callback([options, &exit_code] {
    exit_code =
        exchange_list(options->server, kTrunksPath, {}, options->limit, [](const core::json::Node& list) {
          std::fputs(list_table(list, {{"ID", "id"},
                                       {"HOST", "host"},
                                       {"TRANSPORT", "transport"},
                                       {"STATE", "state"},
                                       {"SINCE (UTC)", "sinceUtc"},
                                       {"CALLS", "calls"},
                                       {"WHY", "why"}})
                         .c_str(),
                     stdout);
        });
  });
}

}  // namespace

void add_trunk(Verb app, int& exit_code) {
  Verb verb = app.add_verb("trunk", "SIP trunks");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay trunk list");
  add_trunk_list(verb, exit_code);
}

}  // namespace patchbay::app

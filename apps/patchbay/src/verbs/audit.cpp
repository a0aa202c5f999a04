// patchbay audit: lists who changed what.
#include <cstdio>
#include <memory>

#include "list_request.h"
#include "list_table.h"
#include "server_verb.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

void show_audit_records(const core::json::Node& list) {
  std::fputs(list_table(list, {{"TIME (UTC)", "timeUtc"},
                               {"ACTOR", "actor"},
                               {"FROM", "remote"},
                               {"ACTION", "action"},
                               {"OBJECT", "object"}})
                 .c_str(),
             stdout);
}

}  // namespace

void add_audit(Verb app, int& exit_code) {
  struct Command {
    ServerOptions server;
    std::string actor, action, object, since, until;
    bool of_server = false;
    int limit = kNewestRows;
    int offset = 0;
  };
  Verb verb = app.add_verb("audit", "List who changed what, newest first");
  const auto command = std::make_shared<Command>();
  verb.add_option("--actor", command->actor, "Only changes by this user name, key:<name> or operator");
  verb.add_option("--action", command->action, "Only actions that begin so: whitelist.added, or webhook.");
  verb.add_option("--object", command->object, "Only changes of this object").type_name("ID");
  verb.add_option("--since", command->since, "Only changes made then or later").type_name("TIME");
  verb.add_option("--until", command->until, "Only changes made before").type_name("TIME");
  verb.add_flag("--server", command->of_server, "The changes that belong to no tenant");
  add_limit_option(verb, command->limit);
  verb.add_option("--offset", command->offset, "Number of changes to skip").type_name("N");
  add_server_options(verb, command->server);
  verb.footer(
      "Times are ISO 8601, UTC by default: 2026-01-31T12:00. --json also prints the values before and "
      "after.\n\n"
      "Examples:\n  patchbay audit --since 2026-01-31\n  patchbay audit --action webhook. --json");
  verb.callback([command, &exit_code] {
    exit_code = exchange_list(command->server, "/api.ashx/v1/admin/audit",
                              {{"actor", command->actor},
                               {"action", command->action},
                               {"object", command->object},
                               {"since", command->since},
                               {"until", command->until},
                               {"scope", command->of_server ? "server" : ""},
                               {"offset", std::to_string(command->offset)}},
                              command->limit, show_audit_records);
  });
}

}  // namespace patchbay::app

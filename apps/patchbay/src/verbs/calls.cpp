// patchbay calls: the newest calls.
#include <cstdio>
#include <memory>

#include "answer_tables.h"
#include "list_request.h"
#include "server_verb.h"
#include "verbs.h"

namespace patchbay::app {

void add_calls(Verb app, int& exit_code) {
  struct Command {
    ServerOptions server;
    std::string status;
    int limit = kNewestRows;
  };
  Verb verb = app.add_verb("calls", "List calls, newest first");
  const auto command = std::make_shared<Command>();
  verb.add_option("--status", command->status, "Only these states, separated by commas").type_name("STATES");
  add_limit_option(verb, command->limit);
  add_server_options(verb, command->server);
  verb.footer(
      "States: scheduled, dispatching, in-flight, ended-success, ended-failed-retry-pending,\n"
      "ended-failed-final, cancelled.\n\n"
      "Examples:\n  patchbay calls --status dispatching,in-flight\n  patchbay calls --limit 500 --json");
  verb.callback([command, &exit_code] {
    exit_code =
        exchange_list(command->server, "/api.ashx/v1/calls", {{"status", command->status}}, command->limit,
                      [](const core::json::Node& list) { std::fputs(calls_table(list).c_str(), stdout); });
  });
}

}  // namespace patchbay::app

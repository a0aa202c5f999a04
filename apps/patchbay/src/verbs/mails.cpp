// patchbay mails: the newest outcome mails and what became of them.
#include <cstdio>
#include <memory>

#include "answer_tables.h"
#include "list_request.h"
#include "server_verb.h"
#include "verbs.h"

namespace patchbay::app {

void add_mails(Verb app, int& exit_code) {
  struct Command {
    ServerOptions server;
    std::string state;
    int limit = kAllRows;
  };
  Verb verb = app.add_verb("mails", "List outcome mails and whether they were sent, newest first");
  const auto command = std::make_shared<Command>();
  verb.add_option("--state", command->state, "Only these: waiting, sent, refused or given-up")
      .type_name("STATE");
  add_limit_option(verb, command->limit);
  add_server_options(verb, command->server);
  verb.footer("Examples:\n  patchbay mails --state waiting\n  patchbay mails --limit 10 --json");
  verb.callback([command, &exit_code] {
    exit_code = exchange_list(
        command->server, "/api.ashx/v1/admin/mails", {{"state", command->state}}, command->limit,
        [](const core::json::Node& list) { std::fputs(mails_table(list).c_str(), stdout); });
  });
}

}  // namespace patchbay::app

// patchbay hangup: ends a call, or cancels a scheduled one.
#include <patchbay/percent_encoding.h>

#include <cstdio>
#include <memory>

#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {

void add_hangup(Verb app, int& exit_code) {
  struct Command {
    ServerOptions server;
    std::string id;
  };
  Verb verb = app.add_verb("hangup", "End a call, or cancel a scheduled one");
  const auto command = std::make_shared<Command>();
  verb.add_option("ID", command->id, "The call").required();
  add_server_options(verb, command->server);
  verb.footer("Examples:\n  patchbay hangup oac-0123456789ab");
  verb.callback([command, &exit_code] {
    exit_code = exchange(
        command->server, "POST", "/api.ashx/v1/calls/" + percent_encode(command->id) + "/hangup", {}, {},
        [](const core::json::Node& answer) {
          std::printf("%s  %s%s\n", member(answer, "callId").c_str(), member(answer, "newStatus").c_str(),
                      member(answer, "wasNoop") == "true" ? "  (had ended already)" : "");
        });
  });
}

}  // namespace patchbay::app

// patchbay transcript: shows what was said on a call, or deletes it.
#include <patchbay/percent_encoding.h>

#include <cstdio>
#include <memory>

#include "answer_tables.h"
#include "server_verb.h"
#include "verbs.h"

namespace patchbay::app {

void add_transcript(Verb app, int& exit_code) {
  struct Command {
    ServerOptions server;
    std::string id;
    std::string attempt;
    bool deletes = false;
  };
  Verb verb = app.add_verb("transcript", "Show what was said on a call, or delete it");
  const auto command = std::make_shared<Command>();
  verb.add_option("ID", command->id, "The call").required();
  verb.add_option("--attempt", command->attempt, "An earlier attempt than the last one").type_name("N");
  verb.add_flag("--delete", command->deletes, "Delete the transcript and its public links, for good");
  add_server_options(verb, command->server);
  verb.footer(
      "Examples:\n  patchbay transcript oac-0123456789ab\n  patchbay transcript oac-0123456789ab --json\n"
      "  patchbay transcript oac-0123456789ab --attempt 1 --delete");
  verb.callback([command, &exit_code] {
    if (command->deletes) {
      exit_code = exchange(
          command->server, "DELETE", "/api.ashx/v1/transcripts/" + percent_encode(command->id),
          {{"attempt", command->attempt}}, {}, [](const core::json::Node&) { std::printf("deleted\n"); });
      return;
    }
    exit_code = exchange(command->server, "GET", "/api.ashx/v1/transcripts/" + percent_encode(command->id),
                         {{"attempt", command->attempt}}, {}, [](const core::json::Node& transcript) {
                           std::fputs(transcript_text(transcript).c_str(), stdout);
                         });
  });
}

}  // namespace patchbay::app

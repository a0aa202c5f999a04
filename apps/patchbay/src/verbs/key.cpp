// patchbay key: creates API keys.
#include <cstdio>
#include <memory>

#include "json/writer.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {

void add_key(Verb app, int& exit_code) {
  struct Command {
    ServerOptions server;
    std::string name;
  };
  Verb verb = app.add_verb("key", "API keys");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay key new billing");
  Verb make = verb.add_verb("new", "Create an API key; it is shown only now");
  const auto command = std::make_shared<Command>();
  make.add_option("NAME", command->name, "What the key is for").required();
  add_server_options(make, command->server);
  make.footer("Examples:\n  patchbay key new billing\n  KEY=$(patchbay key new billing)");
  make.callback([command, &exit_code] {
    core::json::Writer body;
    body.begin_object().member("name", std::string_view(command->name)).end_object();
    exit_code =
        exchange(command->server, "POST", "/api.ashx/v1/admin/keys", {}, body.take(),
                 [](const core::json::Node& key) { std::printf("%s\n", member(key, "key").c_str()); });
  });
}

}  // namespace patchbay::app

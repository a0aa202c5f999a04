// patchbay webhook: subscribes URLs to events.
#include <cstdio>
#include <memory>
#include <vector>

#include "json/writer.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {

void add_webhook(Verb app, int& exit_code) {
  struct Command {
    ServerOptions server;
    std::string url;
    std::vector<std::string> events{"*"};
    std::string secret;
  };
  Verb verb = app.add_verb("webhook", "Webhook subscriptions");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay webhook add https://crm.example.com/hook --events outbound-ai.finished");
  Verb make = verb.add_verb("add", "Have events posted to a URL; the secret is shown only now");
  const auto command = std::make_shared<Command>();
  make.add_option("URL", command->url, "Where to post").required();
  make.add_option("--events", command->events, "Names of events, separated by commas; * for all")
      .delimiter(',')
      .type_name("NAMES");
  make.add_option("--secret", command->secret,
                  "Key of the signatures, 16 characters or more; generated if omitted");
  add_server_options(make, command->server);
  make.footer(
      "Examples:\n  patchbay webhook add https://crm.example.com/hook --events "
      "outbound-ai.finished,transcript.saved\n"
      "  patchbay webhook add https://crm.example.com/hook --json");
  make.callback([command, &exit_code] {
    core::json::Writer body;
    body.begin_object().member("url", std::string_view(command->url)).key("events").begin_array();
    for (const std::string& event : command->events) body.value(std::string_view(event));
    body.end_array();
    if (!command->secret.empty()) body.member("secret", std::string_view(command->secret));
    body.end_object();
    exit_code = exchange(command->server, "POST", "/api.ashx/v1/admin/webhooks", {}, body.take(),
                         [](const core::json::Node& made) {
                           std::printf("id      %s\nsecret  %s\n", member(made, "id").c_str(),
                                       member(made, "secret").c_str());
                         });
  });
}

}  // namespace patchbay::app

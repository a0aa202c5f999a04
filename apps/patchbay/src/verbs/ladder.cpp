// patchbay ladder: the SIP messages of a call.
#include <patchbay/percent_encoding.h>

#include <cstdio>
#include <memory>
#include <string>

#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::json::Node;

// "12:00:00.000  -> udp 192.0.2.1:5060  INVITE sip:+4930123456@192.0.2.1"
void print_message(const Node& message, bool shows_text) {
  const std::string at = member(message, "at");
  const bool is_sent = member(message, "direction") == "sent";
  std::printf("%s  %s %s  %s\n", at.size() > 23 ? at.substr(11, 12).c_str() : at.c_str(),
              is_sent ? "->" : "<-", member(message, "peer").c_str(), member(message, "summary").c_str());
  if (!shows_text || message.find("text") == nullptr) return;
  std::string_view text = message.find("text")->string();
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    std::printf("    %s\n", harmless(text.substr(0, newline)).c_str());
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
}

template <bool kShowsText>
void print_ladder(const Node& ladder) {
  const Node* messages = ladder.find("messages");
  if (messages == nullptr || messages->size() == 0) std::puts("none");
  for (uint32_t i = 0; messages != nullptr && i < messages->size(); ++i)
    print_message(*messages->element(i), kShowsText);
  const std::string left_out = member(ladder, "leftOut");
  if (!left_out.empty() && left_out != "0") std::printf("and %s more\n", left_out.c_str());
}

}  // namespace

void add_ladder(Verb app, int& exit_code) {
  struct Command {
    ServerOptions server;
    std::string id;
    bool shows_text = false;
  };
  Verb verb = app.add_verb("ladder", "Show the SIP messages of a recent call, with credentials masked");
  const auto command = std::make_shared<Command>();
  verb.add_option("ID", command->id, "The call").required();
  verb.add_flag("--text", command->shows_text, "With the text of each message");
  add_server_options(verb, command->server);
  verb.footer("Examples:\n  patchbay ladder oac-0123456789ab\n  patchbay ladder oac-0123456789ab --text");
  verb.callback([command, &exit_code] {
    const std::string path = "/api.ashx/v1/calls/" + percent_encode(command->id) + "/ladder";
    exit_code = exchange(command->server, "GET", path, {}, {},
                         command->shows_text ? &print_ladder<true> : &print_ladder<false>);
  });
}

}  // namespace patchbay::app

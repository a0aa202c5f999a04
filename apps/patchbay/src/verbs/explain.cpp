// patchbay explain: what would happen to a dial or an inbound call.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "json/writer.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::json::Node;
using core::json::Writer;

void print_line(const char* name, const std::string& text) {
  if (!text.empty()) std::printf("%-10s %s\n", name, text.c_str());
}

// "+49* -> main backup (api, position 1)"
std::string route_text(const Node* route) {
  if (route == nullptr || member(*route, "source").empty()) return {};
  std::string text = member(*route, "match") + member(*route, "did");
  if (const std::string from = member(*route, "fromNumber"); !from.empty()) text += " from " + from;
  text += " ->";
  const Node* trunks = route->find("trunkIds");
  for (uint32_t i = 0; trunks != nullptr && i < trunks->size(); ++i)
    text += " " + harmless(trunks->element(i)->string());
  if (const std::string user = member(*route, "user"); !user.empty()) text += " " + user;
  text += " (" + member(*route, "source");
  if (const std::string position = member(*route, "position"); !position.empty())
    text += ", position " + position;
  return text + ")";
}

void print_gates(const Node& answer) {
  const Node* gates = answer.find("gates");
  for (uint32_t i = 0; gates != nullptr && i < gates->size(); ++i) {
    const Node& gate = *gates->element(i);
    const bool is_allowed = gate.find("allowed") != nullptr && gate.find("allowed")->boolean();
    const std::string detail = member(gate, is_allowed ? "detail" : "reason");
    print_line("gate", member(gate, "gate") + (is_allowed ? " allows" : " refuses") +
                           (detail.empty() ? "" : ": " + detail));
  }
}

void print_trunks(const Node& answer) {
  const Node* trunks = answer.find("trunks");
  for (uint32_t i = 0; trunks != nullptr && i < trunks->size(); ++i) {
    const Node& trunk = *trunks->element(i);
    const std::string skipped = member(trunk, "skipped");
    print_line("trunk", member(trunk, "id") + " at " + member(trunk, "host") +
                            (skipped.empty() ? "" : ", passed over: " + skipped));
  }
}

void print_notes(const Node& answer) {
  const Node* rows = answer.find("unreachableRoutes");
  for (uint32_t i = 0; rows != nullptr && i < rows->size(); ++i) {
    const Node& row = *rows->element(i);
    const std::string behind = route_text(row.find("behind"));
    print_line("note",
               route_text(row.find("route")) + (behind.empty() ? ": did and fromNumber exclude each other"
                                                               : ": no call reaches it, behind " + behind));
  }
  const Node* absent = answer.find("absent");
  for (uint32_t i = 0; absent != nullptr && i < absent->size(); ++i)
    print_line("note", "the plugin " + harmless(absent->element(i)->string()) + " is not loaded");
}

void show_dial(const Node& answer) {
  const bool would_dial = answer.find("wouldDial") != nullptr && answer.find("wouldDial")->boolean();
  print_line("number", member(answer, "number"));
  print_line("result",
             (would_dial ? "would be dialled: " : "would not be dialled: ") + member(answer, "why"));
  print_gates(answer);
  const std::string route = route_text(answer.find("route"));
  print_line("route", route.empty() ? "none matches" : route);
  print_trunks(answer);
  print_notes(answer);
}

void show_call(const Node& answer) {
  const std::string from = member(answer, "fromNumber");
  print_line("call",
             "to " + member(answer, "did") + (from.empty() ? ", without caller ID" : " from " + from));
  std::string result = member(answer, "decision");
  if (const std::string user = member(answer, "user"); !user.empty()) result += " " + user;
  if (const std::string status = member(answer, "sipStatus"); !status.empty()) result += " with " + status;
  print_line("result", result + ": " + member(answer, "why"));
  print_line("route", route_text(answer.find("route")));
  const Node* number = answer.find("virtualNumber");
  if (number != nullptr && !member(*number, "number").empty())
    print_line("number", member(*number, "name") + ", " + member(*number, "mode"));
  print_notes(answer);
}

}  // namespace

void add_explain(Verb app, int& exit_code) {
  struct Command {
    ServerOptions server;
    std::string number, did, from;
  };
  Verb verb =
      app.add_verb("explain", "Explain what would happen to a dial or an inbound call; nothing is sent");
  const auto command = std::make_shared<Command>();
  verb.add_option("NUMBER", command->number, "The number to dial");
  verb.add_option("--inbound", command->did, "Instead: the number that is called").type_name("DID");
  verb.add_option("--from", command->from, "The caller, with --inbound; by default without caller ID")
      .type_name("NUMBER");
  add_server_options(verb, command->server);
  verb.footer(
      "Examples:\n  patchbay explain +4930123456\n"
      "  patchbay explain --inbound +4930123456 --from +4315551234");
  verb.callback([command, &exit_code] {
    const bool is_inbound = !command->did.empty();
    Writer body;
    body.begin_object().member("direction", std::string_view(is_inbound ? "inbound" : "outbound"));
    if (!command->number.empty()) body.member("number", std::string_view(command->number));
    if (is_inbound) body.member("did", std::string_view(command->did));
    if (!command->from.empty()) body.member("fromNumber", std::string_view(command->from));
    body.end_object();
    exit_code = exchange(command->server, "POST", "/api.ashx/v1/admin/explain", {}, body.take(),
                         is_inbound ? &show_call : &show_dial);
  });
}

}  // namespace patchbay::app

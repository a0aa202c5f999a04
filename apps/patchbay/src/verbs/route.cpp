// patchbay route: the trunks of dialled numbers, and the users of called ones.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "json/writer.h"
#include "list_request.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::json::Node;
using core::json::Writer;

constexpr char kOutPath[] = "/api.ashx/v1/outbound-routes";
constexpr char kInPath[] = "/api.ashx/v1/inbound-routes";

struct RouteCommand {
  ServerOptions server;
  std::string number;  // match or did
  std::string from;
  std::string user;
  std::vector<std::string> trunks;
  int position = 0;
  int limit = kAllRows;
  int offset = 0;

  AdminClient::Query from_offset() const { return {{"offset", std::to_string(offset)}}; }
};
using CommandPtr = std::shared_ptr<RouteCommand>;  // shared by the options and the callback of one verb

// A member of a row, whose names the write responses of inbound routes begin with a capital.
std::string row_member(const Node& row, const std::string& name) {
  std::string text = member(row, name);
  if (!text.empty()) return text;
  std::string pascal = name;
  pascal[0] = static_cast<char>(pascal[0] & ~0x20);
  return member(row, pascal);
}

std::string trunks_of(const Node& row) {
  const Node* ids = row.find("trunkIds");
  std::string all;
  for (uint32_t i = 0; ids != nullptr && i < ids->size(); ++i)
    all += (i == 0 ? "" : " ") + harmless(ids->element(i)->string());
  return all;
}

std::vector<std::string> out_cells(const Node& row) {
  return {row_member(row, "position"), row_member(row, "match"), trunks_of(row), row_member(row, "source")};
}
std::vector<std::string> in_cells(const Node& row) {
  return {row_member(row, "position"), row_member(row, "did"), row_member(row, "fromNumber"),
          row_member(row, "user"), row_member(row, "source")};
}

template <class Cells>
void print_rows(const std::vector<std::string>& headings, const std::vector<const Node*>& rows, Cells cells) {
  std::vector<std::vector<std::string>> lines;
  for (const Node* row : rows) lines.push_back(cells(*row));
  std::fputs(table(headings, lines).c_str(), stdout);
}

// The rows of a list, the row of {"deleted": row}, or the row itself.
std::vector<const Node*> rows_of(const Node& answer) {
  if (const Node* deleted = answer.find("deleted"); deleted != nullptr) return {deleted};
  const Node* data = answer.find("data");
  if (data == nullptr) return {&answer};
  std::vector<const Node*> rows;
  for (uint32_t i = 0; i < data->size(); ++i) rows.push_back(data->element(i));
  return rows;
}

void show_out(const Node& answer) {
  print_rows({"POSITION", "MATCH", "TRUNKS", "SOURCE"}, rows_of(answer), &out_cells);
  if (const std::string trunk = member(answer, "defaultTrunkId"); !trunk.empty())
    std::printf("\nNumbers that no row matches go through %s.\n", trunk.c_str());
}

void show_in(const Node& answer) {
  print_rows({"POSITION", "DID", "FROM", "USER", "SOURCE"}, rows_of(answer), &in_cells);
}

std::string trunks_body(const RouteCommand& command, bool with_match) {
  Writer body;
  body.begin_object();
  if (with_match) body.member("match", std::string_view(command.number));
  if (!command.trunks.empty()) {
    body.key("trunkIds").begin_array();
    for (const std::string& id : command.trunks) body.value(std::string_view(id));
    body.end_array();
  }
  if (command.position > 0) body.member("position", int64_t{command.position});
  body.end_object();
  return body.take();
}

std::string user_body(const RouteCommand& command, bool with_did) {
  Writer body;
  body.begin_object();
  if (with_did) body.member("did", std::string_view(command.number));
  if (with_did && !command.from.empty()) body.member("fromNumber", std::string_view(command.from));
  if (!command.user.empty()) body.member("user", std::string_view(command.user));
  if (command.position > 0) body.member("position", int64_t{command.position});
  body.end_object();
  return body.take();
}

// Adds a verb with the options of the server, and its request as callback.
template <class Request>
Verb add_route_verb(Verb in, const char* name, const char* description, const CommandPtr& command,
                    Request request) {
  Verb verb = in.add_verb(name, description);
  verb.callback([command, request] { request(*command); });
  return verb;
}

void add_list_options(Verb verb, const CommandPtr& command) {
  add_limit_option(verb, command->limit);
  verb.add_option("--offset", command->offset, "Number of rows to pass over").type_name("N");
}

void add_out(Verb route, int& exit_code) {
  Verb out = route.add_verb("out", "Outbound routes: the trunks of dialled numbers");
  out.require_verb();
  out.footer("Examples:\n  patchbay route out add '+49*' main backup\n  patchbay route out move '+4930*' 1");
  const auto ask = [&exit_code](const char* method, const RouteCommand& command, AdminClient::Query query,
                                const std::string& body) {
    exit_code = exchange(command.server, method, kOutPath, query, body, &show_out);
  };
  const auto match = [](Verb verb, const CommandPtr& command) {
    verb.add_option("MATCH", command->number, "A number, a prefix followed by *, or global").required();
  };
  const auto trunks = [](Verb verb, const CommandPtr& command) {
    verb.add_option("TRUNKS", command->trunks, "Ids of trunks, in the order of trying").required();
  };
  struct Entry {
    const char* name;
    const char* description;
    const char* method;
    bool has_trunks, has_body;
  };
  const auto listed = std::make_shared<RouteCommand>();
  Verb list = add_route_verb(
      out, "list", "List the rows in the order of trying", listed, [&exit_code](const RouteCommand& c) {
        exit_code = exchange_list(c.server, kOutPath, c.from_offset(), c.limit, &show_out);
      });
  add_list_options(list, listed);
  add_server_options(list, listed->server);
  for (const Entry& entry : {Entry{"show", "Show a row", "GET", false, false},
                             Entry{"add", "Add a row at the end", "POST", true, true},
                             Entry{"set", "Replace the trunks of a row", "PUT", true, true},
                             Entry{"move", "Move a row", "PUT", false, true},
                             Entry{"delete", "Delete a row", "DELETE", false, false}}) {
    const auto command = std::make_shared<RouteCommand>();
    const bool is_new = std::string_view(entry.name) == "add";
    Verb verb = add_route_verb(
        out, entry.name, entry.description, command, [ask, entry, is_new](const RouteCommand& c) {
          ask(entry.method, c, is_new ? AdminClient::Query{} : AdminClient::Query{{"match", c.number}},
              entry.has_body ? trunks_body(c, is_new) : std::string());
        });
    match(verb, command);
    if (entry.has_trunks) trunks(verb, command);
    if (is_new)
      verb.add_option("--position", command->position, "Place among the rows written so, from 1")
          .type_name("N");
    if (entry.has_body && !entry.has_trunks)
      verb.add_option("POSITION", command->position, "New place, from 1").required();
    add_server_options(verb, command->server);
  }
}

void add_in(Verb route, int& exit_code) {
  Verb in = route.add_verb("in", "Inbound routes: the users of called numbers");
  in.require_verb();
  in.footer(
      "Examples:\n  patchbay route in add +4930123456 alice --from '+43*'\n  patchbay route in set '*' desk");
  const auto ask = [&exit_code](const char* method, const RouteCommand& command, AdminClient::Query query,
                                const std::string& body) {
    exit_code = exchange(command.server, method, kInPath, query, body, &show_in);
  };
  const auto did = [](Verb verb, const CommandPtr& command) {
    verb.add_option("DID", command->number, "A number, an extension, anonymous, or * for all others")
        .required();
  };
  struct Entry {
    const char* name;
    const char* description;
    const char* method;
    bool has_user, has_body, has_from;
  };
  const auto listed = std::make_shared<RouteCommand>();
  Verb list = add_route_verb(
      in, "list", "List the rows in the order of trying", listed, [&exit_code](const RouteCommand& c) {
        exit_code = exchange_list(c.server, kInPath, c.from_offset(), c.limit, &show_in);
      });
  add_list_options(list, listed);
  add_server_options(list, listed->server);
  for (const Entry& entry : {Entry{"show", "Show the first row of a did", "GET", false, false, false},
                             Entry{"add", "Add a row before the catchall", "POST", true, true, true},
                             Entry{"set", "Change the user of a row", "PUT", true, true, true},
                             Entry{"move", "Move a row", "PUT", false, true, true},
                             Entry{"delete", "Delete a row", "DELETE", false, false, true}}) {
    const auto command = std::make_shared<RouteCommand>();
    const bool is_new = std::string_view(entry.name) == "add";
    Verb verb = add_route_verb(
        in, entry.name, entry.description, command, [ask, entry, is_new](const RouteCommand& c) {
          AdminClient::Query query;
          if (!is_new) query.emplace_back("did", c.number);
          if (!is_new && !c.from.empty()) query.emplace_back("fromNumber", c.from);
          ask(entry.method, c, query, entry.has_body ? user_body(c, is_new) : std::string());
        });
    did(verb, command);
    if (entry.has_user) verb.add_option("USER", command->user, "User who is rung").required();
    if (entry.has_from)
      verb.add_option("--from", command->from,
                      "Only calls of this number, prefix followed by *, or anonymous")
          .type_name("PATTERN");
    if (is_new)
      verb.add_option("--position", command->position, "Place among the rows written so, from 1")
          .type_name("N");
    if (entry.has_body && !entry.has_user)
      verb.add_option("POSITION", command->position, "New place, from 1").required();
    add_server_options(verb, command->server);
  }
}

}  // namespace

void add_route(Verb app, int& exit_code) {
  Verb verb = app.add_verb("route", "Outbound and inbound routes");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay route out list\n  patchbay route in add +4930123456 alice");
  add_out(verb, exit_code);
  add_in(verb, exit_code);
}

}  // namespace patchbay::app

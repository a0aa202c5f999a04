// patchbay user: the users of a tenant.
#include <patchbay/percent_encoding.h>

#include <cstdio>
#include <memory>

#include "answer_tables.h"
#include "json/writer.h"
#include "list_request.h"
#include "password_input.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::json::Node;

constexpr char kUsers[] = "/api.ashx/v1/admin/users";

struct UserCommand {
  ServerOptions server;
  std::string name;
  std::string role = "user";
  std::string display_name;
  bool generate = false;
  int limit = kAllRows;
};
using Command = std::shared_ptr<UserCommand>;

std::string path_of(const UserCommand& command, const char* tail = "") {
  return std::string(kUsers) + "/" + percent_encode(command.name) + tail;
}

void print_user(const Node& user) {
  for (const char* name : {"username", "displayName", "role", "disabled", "source", "tenant",
                           "hasSipPassword", "createdAtUtc", "createdBy", "password", "sipPassword"})
    if (user.find(name) != nullptr) std::printf("%-15s %s\n", name, member(user, name).c_str());
}

void print_deleted(const Node& answer) {
  const Node* deleted = answer.find("deleted");
  if (deleted != nullptr) std::printf("deleted %s\n", member(*deleted, "username").c_str());
}

Verb add_named(Verb verb, const char* name, const char* description, const Command& command) {
  Verb made = verb.add_verb(name, description);
  made.add_option("NAME", command->name, "The user").required();
  add_server_options(made, command->server);
  return made;
}

// A verb that sends one request about a user, without more input.
void add_request(Verb verb, const char* name, const char* description, const char* method, const char* tail,
                 const char* body, void (*show)(const Node&), int& exit_code) {
  const auto command = std::make_shared<UserCommand>();
  add_named(verb, name, description, command).callback([=, &exit_code] {
    exit_code = exchange(command->server, method, path_of(*command, tail), {}, body, show);
  });
}

void add_user_list(Verb verb, int& exit_code) {
  const auto command = std::make_shared<UserCommand>();
  Verb made = verb.add_verb("list", "List the users, the configured ones first");
  add_limit_option(made, command->limit);
  add_server_options(made, command->server);
  made.callback([command, &exit_code] {
    exit_code = exchange_list(command->server, kUsers, {}, command->limit,
                              [](const Node& list) { std::fputs(users_table(list).c_str(), stdout); });
  });
}

void add_user_create(Verb verb, int& exit_code) {
  const auto command = std::make_shared<UserCommand>();
  Verb made = add_named(verb, "create", "Create a user; the SIP password is shown only now", command);
  made.add_option("--role", command->role, "admin or user").type_name("ROLE");
  made.add_option("--display-name", command->display_name, "The name to show").type_name("TEXT");
  made.add_flag("--generate", command->generate, "Generate the password, and show it");
  made.footer(
      "The password is asked for, or read from the first line of stdin.\n\n"
      "Examples:\n  patchbay user create dora --role admin\n"
      "  patchbay user create dora --generate\n  patchbay user create dora < password.txt");
  made.callback([command, &exit_code] {
    core::json::Writer body;
    body.begin_object().member("username", std::string_view(command->name));
    body.member("role", std::string_view(command->role));
    body.member("displayName", std::string_view(command->display_name));
    if (!command->generate) {
      const auto password = read_password(command->name);
      if (!password) {
        exit_code = report(password.error());
        return;
      }
      body.member("password", std::string_view(*password));
    }
    body.end_object();
    exit_code = exchange(command->server, "POST", kUsers, {}, body.take(), print_user);
  });
}

void add_role(Verb verb, int& exit_code) {
  const auto command = std::make_shared<UserCommand>();
  Verb made = add_named(verb, "role", "Change the role, and end the user's tokens", command);
  made.add_option("ROLE", command->role, "admin or user").required();
  made.callback([command, &exit_code] {
    core::json::Writer body;
    body.begin_object().member("role", std::string_view(command->role)).end_object();
    exit_code = exchange(command->server, "PATCH", path_of(*command), {}, body.take(), print_user);
  });
}

void add_password(Verb verb, int& exit_code) {
  const auto command = std::make_shared<UserCommand>();
  Verb made = add_named(verb, "password", "Change the password, and end the user's tokens", command);
  made.add_flag("--generate", command->generate, "Generate the password, and show it");
  made.footer("The password is asked for, or read from the first line of stdin.");
  made.callback([command, &exit_code] {
    core::json::Writer body;
    body.begin_object();
    if (!command->generate) {
      const auto password = read_password(command->name);
      if (!password) {
        exit_code = report(password.error());
        return;
      }
      body.member("password", std::string_view(*password));
    }
    body.end_object();
    exit_code =
        exchange(command->server, "POST", path_of(*command, "/password"), {}, body.take(), print_user);
  });
}

}  // namespace

void add_user(Verb app, int& exit_code) {
  Verb verb = app.add_verb("user", "The users of a tenant");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay user list\n  patchbay user create dora --role admin");
  add_user_list(verb, exit_code);
  add_request(verb, "show", "Show one user", "GET", "", "", print_user, exit_code);
  add_user_create(verb, exit_code);
  add_request(verb, "disable", "Refuse the user, and end the user's tokens", "PATCH", "",
              R"({"disabled":true})", print_user, exit_code);
  add_request(verb, "enable", "Accept the user again", "PATCH", "", R"({"disabled":false})", print_user,
              exit_code);
  add_role(verb, exit_code);
  add_password(verb, exit_code);
  add_request(verb, "sip-password", "Generate another SIP password; it is shown only now", "POST",
              "/sip-password", "", print_user, exit_code);
  add_request(verb, "end-sessions", "End all tokens of the user", "POST", "/end-sessions", "", print_user,
              exit_code);
  add_request(verb, "delete", "Remove the user, and end the user's tokens", "DELETE", "", "", print_deleted,
              exit_code);
}

}  // namespace patchbay::app

// patchbay contact: where the users can be rung now.
#include <cstdio>
#include <memory>
#include <string>

#include "list_request.h"
#include "list_table.h"
#include "server_verb.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kContactsPath = "/api.ashx/v1/admin/contacts";

struct ContactOptions {
  ServerOptions server;
  std::string user;
  int limit = kAllRows;
};

void add_contact_list(Verb contact, int& exit_code) {
  Verb verb = contact.add_verb("list", "List where the users can be rung now: registered telephones");
  const auto options = std::make_shared<ContactOptions>();
  verb.add_option("--user", options->user, "Only the contacts of this user").type_name("NAME");
  add_limit_option(verb, options->limit);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay contact list\n  patchbay contact list --user dora --json");
  verb.callback([options, &exit_code] {
    exit_code = exchange_list(options->server, kContactsPath, {{"user", options->user}}, options->limit,
                              [](const core::json::Node& list) {
                                std::fputs(list_table(list, {{"USER", "username"},
                                                             {"KIND", "kind"},
                                                             {"SINCE (UTC)", "sinceUtc"},
                                                             {"EXPIRES (UTC)", "expiresUtc"},
                                                             {"CONTACT", "description"}})
                                               .c_str(),
                                           stdout);
                              });
  });
}

}  // namespace

void add_contact(Verb app, int& exit_code) {
  Verb verb = app.add_verb("contact", "Telephones of users");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay contact list");
  add_contact_list(verb, exit_code);
}

}  // namespace patchbay::app

// patchbay key: lists, creates and revokes API keys.
#include <patchbay/percent_encoding.h>

#include <cstdio>
#include <memory>

#include "json/writer.h"
#include "list_request.h"
#include "list_table.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kKeysPath = "/api.ashx/v1/admin/keys";

struct KeyOptions {
  ServerOptions server;
  std::string name;
  std::string id;
  int limit = kAllRows;
};

void add_key_list(Verb key, int& exit_code) {
  Verb verb = key.add_verb("list", "List the API keys");
  const auto options = std::make_shared<KeyOptions>();
  add_limit_option(verb, options->limit);
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay key list\n  patchbay key list --tenant voice.example.com --json");
  verb.callback([options, &exit_code] {
    exit_code =
        exchange_list(options->server, kKeysPath, {}, options->limit, [](const core::json::Node& list) {
          std::fputs(list_table(list, {{"ID", "id"},
                                       {"NAME", "name"},
                                       {"ENDS IN", "hint"},
                                       {"CREATED (UTC)", "createdAtUtc"},
                                       {"BY", "createdBy"}})
                         .c_str(),
                     stdout);
        });
  });
}

void add_key_create(Verb key, const char* name, int& exit_code) {
  Verb verb = key.add_verb(name, "Create an API key; it is shown only now");
  const auto options = std::make_shared<KeyOptions>();
  verb.add_option("NAME", options->name, "What the key is for").required();
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay key create billing\n  KEY=$(patchbay key create billing)");
  verb.callback([options, &exit_code] {
    core::json::Writer body;
    body.begin_object().member("name", std::string_view(options->name)).end_object();
    exit_code =
        exchange(options->server, "POST", kKeysPath, {}, body.take(),
                 [](const core::json::Node& made) { std::printf("%s\n", member(made, "key").c_str()); });
  });
}

void add_key_revoke(Verb key, int& exit_code) {
  Verb verb = key.add_verb("revoke", "Revoke an API key, at once");
  const auto options = std::make_shared<KeyOptions>();
  verb.add_option("ID", options->id, "The key's id, as `patchbay key list` shows it").required();
  add_server_options(verb, options->server);
  verb.footer("Examples:\n  patchbay key revoke key-0123456789abcdef");
  verb.callback([options, &exit_code] {
    exit_code =
        exchange(options->server, "DELETE", std::string(kKeysPath) + "/" + percent_encode(options->id), {},
                 {}, [](const core::json::Node& answer) {
                   if (const core::json::Node* deleted = answer.find("deleted"))
                     std::printf("%s was revoked\n", member(*deleted, "name").c_str());
                 });
  });
}

}  // namespace

void add_key(Verb app, int& exit_code) {
  Verb verb = app.add_verb("key", "API keys");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay key create billing\n  patchbay key list");
  add_key_list(verb, exit_code);
  add_key_create(verb, "create", exit_code);
  add_key_create(verb, "new", exit_code);
  add_key_revoke(verb, exit_code);
}

}  // namespace patchbay::app

// patchbay signing-key: the keys that sign tokens.
#include <cstdio>
#include <memory>

#include "answer_tables.h"
#include "server_verb.h"
#include "verbs.h"

namespace patchbay::app {

void add_signing_key(Verb app, int& exit_code) {
  constexpr const char* kPath = "/api.ashx/v1/admin/signing-keys";
  Verb verb = app.add_verb("signing-key", "The keys that sign tokens");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay signing-key rotate\n  patchbay signing-key list");
  const auto server = std::make_shared<ServerOptions>();
  Verb list = verb.add_verb("list", "List the current, the next and the retired keys");
  add_server_options(list, *server);
  list.callback([=, &exit_code] {
    exit_code = exchange(*server, "GET", kPath, {}, {}, [](const core::json::Node& keys) {
      std::fputs(signing_keys_table(keys).c_str(), stdout);
    });
  });
  const auto of_rotate = std::make_shared<ServerOptions>();
  Verb rotate = verb.add_verb("rotate", "Sign new tokens with the next key; earlier tokens remain valid");
  add_server_options(rotate, *of_rotate);
  rotate.callback([=, &exit_code] {
    exit_code = exchange(*of_rotate, "POST", std::string(kPath) + "/rotate", {}, {},
                         [](const core::json::Node& answer) {
                           const core::json::Node* keys = answer.find("keys");
                           if (keys != nullptr) std::fputs(signing_keys_table(*keys).c_str(), stdout);
                         });
  });
}

}  // namespace patchbay::app

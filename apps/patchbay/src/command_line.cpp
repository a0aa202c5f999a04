#include <iostream>

#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kFooter = R"(Examples:
  patchbay check patchbay.yaml
  patchbay serve -c patchbay.yaml
  patchbay call +4930123456 --prompt "Ask whether Tuesday suits." --watch
  patchbay calls --status in-flight
  patchbay transcript oac-0123456789ab

`patchbay VERB --help` has more. All verbs but serve, check, version, store and those about plugins' files talk to the running
server through its admin socket, which they find through the configuration (-c, else ./patchbay.yaml, else
/etc/patchbay/patchbay.yaml) or --socket.

Exit codes: 0 done; 1 the server refused, or the watched call did not succeed; 2 the command line is wrong;
3 no server can be reached; 4 the configuration or a plugin's file is wrong.)";

}  // namespace

int run_command_line(int count, const char* const* arguments) {
  CLI::App app("Patchbay: a media server made of plugins", "patchbay");
  app.footer(kFooter);
  app.require_subcommand(1);
  int exit_code = kDone;
  for (const auto add : {add_serve, add_check, add_call, add_hangup, add_calls, add_transcript, add_key,
                         add_webhook, add_plugin, add_store, add_version})
    add(app, exit_code);
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? kDone : kUsage;
  }
  return exit_code;
}

}  // namespace patchbay::app

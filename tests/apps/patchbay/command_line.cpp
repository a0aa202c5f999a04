#include <doctest/doctest.h>

#include <vector>

#include "verbs.h"

using namespace patchbay::app;

namespace {

int run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "patchbay");
  return run_command_line(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

TEST_CASE("exit codes are as documented") {
  CHECK(run({"--help"}) == kDone);
  CHECK(run({"version"}) == kDone);
  CHECK(run({"version", "--json"}) == kDone);
  CHECK(run({}) == kUsage);
  CHECK(run({"dance"}) == kUsage);
  CHECK(run({"call", "+49"}) == kUsage);
  CHECK(run({"calls", "--socket", "/nowhere/admin.sock"}) == kUnreachable);
  CHECK(run({"calls", "-c", "/nowhere/patchbay.yaml"}) == kConfiguration);
  CHECK(run({"check", "/nowhere/patchbay.yaml"}) == kConfiguration);
  CHECK(run({"serve", "-c", "/nowhere/patchbay.yaml"}) == kConfiguration);
  CHECK(run({"plugin", "inspect", "/bin/true"}) == kConfiguration);
}

TEST_CASE("every verb has help with an example") {
  for (const std::vector<const char*>& verb : std::vector<std::vector<const char*>>{{"serve"},
                                                                                    {"check"},
                                                                                    {"call"},
                                                                                    {"hangup"},
                                                                                    {"calls"},
                                                                                    {"transcript"},
                                                                                    {"key"},
                                                                                    {"key", "new"},
                                                                                    {"webhook"},
                                                                                    {"webhook", "add"},
                                                                                    {"plugin"},
                                                                                    {"plugin", "list"},
                                                                                    {"plugin", "inspect"},
                                                                                    {"plugin", "doctor"},
                                                                                    {"plugin", "new"},
                                                                                    {"plugin", "run"},
                                                                                    {"plugin", "validate"},
                                                                                    {"store"},
                                                                                    {"store", "consumers"},
                                                                                    {"store", "forget"},
                                                                                    {"version"}}) {
    CLI::App app;
    int exit_code = 0;
    for (const auto add : {add_serve, add_check, add_call, add_hangup, add_calls, add_transcript, add_key,
                           add_webhook, add_plugin, add_store, add_version})
      add(app, exit_code);
    CLI::App* at = &app;
    for (const char* name : verb) at = at->get_subcommand(name);
    CHECK_MESSAGE(at->get_footer().find("patchbay " + std::string(verb.front())) != std::string::npos,
                  verb.back());
  }
}

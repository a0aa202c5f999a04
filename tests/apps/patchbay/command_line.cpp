#include <doctest/doctest.h>

#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "verbs/verbs.h"

using namespace patchbay::app;

namespace {

int run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "patchbay");
  return run_command_line(static_cast<int>(arguments.size()), arguments.data());
}

// What a correct command line prints on standard output.
std::string prints(std::vector<const char*> arguments) {
  std::ostringstream said;
  std::streambuf* const before = std::cout.rdbuf(said.rdbuf());
  const int code = run(std::move(arguments));
  std::cout.rdbuf(before);
  CHECK(code == kDone);
  return said.str();
}

// What a wrong command line prints on standard error.
std::string says(std::vector<const char*> arguments) {
  std::ostringstream said;
  std::streambuf* const before = std::cerr.rdbuf(said.rdbuf());
  const int code = run(std::move(arguments));
  std::cerr.rdbuf(before);
  CHECK(code == kUsage);
  return said.str();
}

}  // namespace

TEST_CASE("exit codes are as documented") {
  CHECK(run({"--help"}) == kDone);
  CHECK(run({"version"}) == kDone);
  CHECK(run({"--version"}) == kDone);
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

TEST_CASE("a misspelt verb is reported with the likely one, a wrong value with its option") {
  CHECK(says({"srve"}) == "patchbay has no verb srve; did you mean `patchbay serve`?\n");
  CHECK(says({"plugin", "nwe", "foo"}) ==
        "patchbay plugin has no verb nwe; did you mean `patchbay plugin new`?\n");
  CHECK(says({"dance"}) == "patchbay has no verb dance; `patchbay --help` lists them\n");
  CHECK(says({"plugin", "run", "x.so", "--for", "x"}) ==
        "--for does not take x; --help says what it takes\n");
}

TEST_CASE("without a verb the verbs are listed") {
  const std::string program = says({});
  CHECK(program.find("patchbay needs a verb; `patchbay --help` has examples\n") == 0);
  CHECK(program.find("\nserve ") != std::string::npos);
  CHECK(program.find("\nstatus  ") != std::string::npos);
  const std::string plugin = says({"plugin"});
  CHECK(plugin.find("patchbay plugin needs a verb; ") == 0);
  CHECK(plugin.find("\ndoctor ") != std::string::npos);
  CHECK(plugin.find("\nserve ") == std::string::npos);
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
                                                                                    {"key", "create"},
                                                                                    {"key", "list"},
                                                                                    {"key", "revoke"},
                                                                                    {"audit"},
                                                                                    {"whitelist"},
                                                                                    {"whitelist", "list"},
                                                                                    {"whitelist", "add"},
                                                                                    {"whitelist", "remove"},
                                                                                    {"whitelist", "write"},

                                                                                    {"number"},
                                                                                    {"number", "list"},
                                                                                    {"number", "show"},
                                                                                    {"number", "create"},
                                                                                    {"number", "change"},
                                                                                    {"number", "delete"},
                                                                                    {"webhook"},
                                                                                    {"webhook", "add"},
                                                                                    {"route"},
                                                                                    {"route", "out"},
                                                                                    {"route", "in"},
                                                                                    {"explain"},
                                                                                    {"contact"},
                                                                                    {"contact", "list"},
                                                                                    {"trunk"},
                                                                                    {"trunk", "list"},
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
                                                                                    {"completion"},
                                                                                    {"completion", "bash"},
                                                                                    {"version"}}) {
    std::vector<const char*> arguments = verb;
    arguments.push_back("--help");
    const std::string help = prints(arguments);
    const size_t examples = help.find("\nExamples:\n");
    REQUIRE_MESSAGE(examples != std::string::npos, verb.back());
    CHECK_MESSAGE(help.find("  patchbay " + std::string(verb.front()), examples) != std::string::npos,
                  verb.back());
  }
}

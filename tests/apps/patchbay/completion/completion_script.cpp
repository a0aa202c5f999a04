#include "completion/completion_script.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "support/child_process.h"

using namespace patchbay::app;

namespace {

// The output of a command.
std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> buffer{};
  for (size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.append(buffer.data(), got);
  ::pclose(pipe);
  return out;
}

const VerbTree kProgram{
    "door",
    "",
    {{"--help", "Print help"}},
    {{"open", "Open it", {{"--wide", "All the way; it's slow"}, {"-w", "All the way: slow"}}, {}},
     {"lock", "Lock it", {{"--help", ""}}, {{"add", "One more", {}, {}}, {"ask", "Which: all", {}, {}}}}}};

// What bash offers for the last of the words.
std::string offered(const std::string& script, const std::string& words) {
  const patchbay::test::TempFolder folder;
  std::ofstream(folder.file("script")) << script << "COMP_WORDS=(" << words << ")\n"
                                       << "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_${COMP_WORDS[0]}\n"
                                       << "echo \"${COMPREPLY[*]}\"\n";
  return output_of("bash " + folder.file("script") + " 2>&1");
}

}  // namespace

TEST_CASE("bash completes verbs, and options behind a dash") {
  const std::string script = bash_completion(kProgram);
  CHECK(offered(script, "door ''") == "open lock\n");
  CHECK(offered(script, "door l") == "lock\n");
  CHECK(offered(script, "door lock a") == "add ask\n");
  CHECK(offered(script, "door open -") == "--wide -w\n");
  CHECK(offered(script, "door open --w") == "--wide\n");
  CHECK(offered(script, "door open f") == "\n");  // files
  CHECK(offered(script, "door --help x") == "\n");
}

TEST_CASE("the script for zsh has the words with their descriptions") {
  const std::string script = zsh_completion(kProgram);
  CHECK(script.find("#compdef door\n") == 0);
  CHECK(script.find("'lock:Lock it'") != std::string::npos);
  CHECK(script.find(R"('--wide:All the way; it'\''s slow')") != std::string::npos);
  CHECK(script.find("'door lock ask') ;;") != std::string::npos);
  if (output_of("command -v zsh") == "") return;
  const patchbay::test::TempFolder folder;
  std::ofstream(folder.file("script")) << script;
  CHECK(output_of("zsh -n " + folder.file("script") + " 2>&1") == "");
}

TEST_CASE("the scripts of the program know its verbs") {
  const std::string program = std::getenv("PATCHBAY_PROGRAM");
  const std::string script = output_of(program + " completion bash");
  CHECK(offered(script, "patchbay whitelist ''") == "list add remove write\n");
  CHECK(offered(script, "patchbay serve --no").find("--no-watch") == 0);
  CHECK(output_of(program + " completion zsh").find("#compdef patchbay\n") == 0);
}

// A server that the verbs of `patchbay` are asked of, as an operator asks: over its admin socket.
#pragma once

#include <string>
#include <vector>

#include "integration/program.h"
#include "integration/terminal.h"
#include "support/test_store.h"

namespace patchbay::test {

struct Said {
  int code;
  std::string text;  // standard output and standard error
  bool has(const std::string& what) const { return text.find(what) != std::string::npos; }
};

// server_yaml() on the database that the tests use, where each server gets a schema.
inline std::string verb_server_yaml() {
  static int servers = 0;
  const std::string store = test_store("server " + std::to_string(++servers));
  return server_yaml(store.empty() ? "" : ", store: \"" + store + "\"");
}

struct VerbServer {
  explicit VerbServer(const std::string& yaml = verb_server_yaml())
      : program(yaml), child(program.run({"serve"})) {
    REQUIRE(program.says("ready, patchbay.yaml"));
  }
  Said ask(const std::vector<std::string>& arguments) {
    const std::string name = "answer-" + std::to_string(++asked);
    const int code = program.run(arguments, name).wait(kPatience).value_or(-1);
    return {code, program.output(name)};
  }
  // On a terminal, where `typed` answers questions for passwords.
  Said ask_on_terminal(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& typed = {}) const {
    auto [code, text] = run_on_terminal(program, arguments, typed);
    return {code, std::move(text)};
  }

  Program program;
  Child child;
  int asked = 0;
};

}  // namespace patchbay::test

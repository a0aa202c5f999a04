// Runs the program `patchbay` in a temporary folder with a patchbay.yaml.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.h"

namespace patchbay::test {

constexpr std::chrono::seconds kPatience(60);

// A server with all plugins that need no other program, and a trunk that refuses connections. `of_server`:
// further settings of `server`, each after a comma.
inline std::string server_yaml(const std::string& of_server = {}) {
  return "server: {data: data, management: {listen: \"127.0.0.1:0\"}" + of_server + "}\n" + R"(plugins:
  rest-api: {listen: "127.0.0.1:0"}
  identity: {issuer: "http://localhost"}
  media: {}
  whitelist: {}
  numbers: {}
  sip-trunk: {listenPort: 0}
  ai-voice: {}
  engine-local: {}
  transcripts: {}
  webhooks: {}
tenants:
  one.example:
    primary: true
    ai-voice: {email: a@example.com}
    webhooks: {allowPrivateReceivers: true}
    sip-trunk: {defaultTrunkId: closed, trunks: [{id: closed, host: 127.0.0.1, port: 1, transport: tcp}]}
  two.example: {}
)";
}

struct Program {
  explicit Program(const std::string& yaml) { write(yaml); }

  void write(const std::string& yaml) const { std::ofstream(folder.file("patchbay.yaml")) << yaml; }
  // Appends its output to the file `name`.
  Child run(std::vector<std::string> arguments, const std::string& name = "output") const {
    arguments.insert(arguments.begin(), std::getenv("PATCHBAY_PROGRAM"));
    auto child = Child::spawn(arguments, folder.path(), folder.file(name));
    REQUIRE(child.ok());
    return *std::move(child);
  }
  std::string output(const std::string& name = "output") const { return read_text(folder.file(name)); }
  bool says(const std::string& what) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      if (output().find(what) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    MESSAGE(output());
    return false;
  }

  TempFolder folder;
};

}  // namespace patchbay::test

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

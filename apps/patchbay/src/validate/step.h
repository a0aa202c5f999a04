// What `patchbay plugin validate` is made of: steps, each with a name, run in child processes one after the
// other.
#pragma once

#include <patchbay/abi/plugin.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugins/manifest.h"

namespace patchbay::app::validate {

// The plugin, and what the command line said of it.
struct Subject {
  std::string file;
  core::Manifest manifest;
  std::string config;   // its section under `plugins`, as JSON; "" for {}
  std::string tenants;  // as in pb_testing_config
  uint64_t seed = 1;
  double fuzz_sec = 0;
  int cycles = 100;  // of the leak check
};

// Empty: all is well.
struct Outcome {
  std::string reason;
  std::string cure;
  bool passed() const noexcept { return reason.empty(); }
};

// In the child process.
struct Run {
  const Subject& subject;
  const pb_entry& entry;
  // What is being done now, in a few words: a crash is reported with the last of them.
  std::function<void(const std::string&)> note;
};

struct Step {
  std::string name;  // "life: stop without drain"
  std::function<Outcome(const Run&)> run;
};

struct Result {
  std::string name;
  Outcome outcome;
  int64_t ms = 0;
  bool left_out = false;  // it was not run; the outcome says why
};

std::vector<Step> life_steps();
std::vector<Step> config_steps();
std::vector<Step> thread_steps();
std::vector<Step> host_steps();
std::vector<Step> leak_steps();
std::vector<Step> fuzz_steps();

}  // namespace patchbay::app::validate

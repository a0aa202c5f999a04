// The steps (checks) of `patchbay plugin validate`. They run one after the other in child processes.
#pragma once

#include <patchbay/abi/plugin.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugins/manifest.h"

namespace patchbay::app::validate {

// The plugin under test, with the options of the command line.
struct Subject {
  std::string file;
  core::Manifest manifest;
  std::string config;   // its section under `plugins`, as JSON; "" for {}
  std::string tenants;  // JSON, as in pb_testing_config
  uint64_t seed = 1;
  double fuzz_sec = 0;
  int cycles = 100;  // starts and stops of the leak check
};

// Why a step failed, and what to do; both empty when it passed.
struct Outcome {
  std::string reason;
  std::string fix;
  bool passed() const noexcept { return reason.empty(); }
};

// What a step gets, in the child process.
struct StepContext {
  const Subject& subject;
  const pb_entry& entry;
  // Records the current action in a few words; the report of a crash shows the last one.
  std::function<void(const std::string&)> note;
};

struct Step {
  std::string name;  // "life: stop without drain"
  std::function<Outcome(const StepContext&)> run;
};

struct Result {
  std::string name;
  Outcome outcome;
  int64_t ms = 0;
  bool skipped = false;  // not run; the outcome has the reason
};

std::vector<Step> life_steps();
std::vector<Step> config_steps();
std::vector<Step> thread_steps();
std::vector<Step> host_steps();
std::vector<Step> leak_steps();
std::vector<Step> fuzz_steps();

}  // namespace patchbay::app::validate

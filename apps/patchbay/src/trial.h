// Trial: what `patchbay plugin run` was asked to do, read and checked before any code of the plugin runs.
#pragma once

#include <patchbay/bus.h>
#include <patchbay/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wav.h"

namespace patchbay::app {

// As written on the command line.
struct TrialWords {
  std::string file, config, pcm, pcm_out, data;
  std::vector<std::string> publish, ask, with;
  double seconds = 0;        // 0: until it is stopped, or the sound is over
  double deadline_sec = 30;  // of each step of its life, as in a server
};

struct TrialRequest {
  std::string method, target, body;
};

// A plugin beside the one that is tried.
struct Companion {
  std::string file;
  std::string plugin, tenants;  // its configuration, JSON
};

struct Trial {
  std::string file;
  std::vector<Companion> companions;  // in the order of starting
  std::string plugin, tenants;        // the plugin's configuration, JSON
  std::vector<std::string> secrets;
  std::vector<NewEvent> events;
  std::vector<TrialRequest> requests;
  std::optional<Wav> wav;
  std::string wav_out, data;
  int64_t lasts_ms = 0;
  int64_t deadline_ms = 30'000;
};

// Errors name the option. Code::invalid: the command line is wrong; Code::failed: the plugin's file or the
// configuration is.
Result<Trial> read_trial(const TrialWords& words);

// Runs it to its end; the exit code. Before any thread: it takes the signals that stop it.
int run_trial(const Trial& trial);

}  // namespace patchbay::app

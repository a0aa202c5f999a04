// Parses and checks the arguments of `patchbay plugin run`.
#pragma once

#include <patchbay/bus.h>
#include <patchbay/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin_run/wav_file.h"

namespace patchbay::app {

// As written on the command line.
struct TrialArguments {
  std::string file, config, pcm, pcm_out, data;
  std::vector<std::string> publish, ask, with;
  double seconds = 0;        // 0: until a signal, or the end of the sound
  double deadline_sec = 30;  // of each lifecycle step, as in a server
};

struct TrialRequest {
  std::string method, target, body;
};

// A plugin of --with, which is started first, to provide services.
struct ProviderPlugin {
  std::string file;
  std::string plugin, tenants;  // its configuration as JSON
};

struct Trial {
  std::string file;
  std::vector<ProviderPlugin> providers;  // in start order
  std::string plugin, tenants;            // the plugin's configuration as JSON
  std::vector<std::string> secrets;
  std::vector<NewEvent> events;
  std::vector<TrialRequest> requests;
  std::optional<Wav> wav;
  std::string wav_out, data;
  int64_t lasts_ms = 0;  // 0: see TrialArguments::seconds
  int64_t deadline_ms = 30'000;
};

// Runs no code of the plugin. Errors name the option. Code::invalid: the command line is wrong; Code::failed:
// the plugin's file or the configuration is.
Result<Trial> read_trial(const TrialArguments& words);

}  // namespace patchbay::app

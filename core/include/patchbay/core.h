// The core as a library: `patchbay serve` runs it, and an appliance links it.
//
//   auto core = patchbay::Core::create({.config_file = "patchbay.yaml"});
//   if (core) { (*core)->start(); ... (*core)->stop(); }
//
// One Core per data folder. Call its functions from one thread (the control thread), except those tagged
// [any].
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pb_entry;

namespace patchbay {

namespace core {
class ManualClock;
}

struct CoreOptions {
  std::string config_file;  // YAML; relative paths start at its folder, even if `config_text` is given
  std::string config_text;  // used instead of the file's contents; "": read the file
  std::string plugin_dir;   // the folder of plugins unless the configuration sets another
  // Entries of plugins that are linked into the program. They replace plugin files of the same id.
  std::vector<const pb_entry*> linked_plugins;
  // The program that runs plugins configured with `isolation: process`; "": patchbay-plugin-host beside this
  // program, or in ../libexec/patchbay.
  std::string plugin_host;
  // Overrides of the configuration (PATCHBAY_...). If not set, the process's environment is read.
  std::optional<std::map<std::string, std::string>> environment;
  int64_t start_deadline_ms = 30000;  // for each plugin's start, and for each stop
  // For each plugin's drain. Below 0: server.drain_timeout_s of the configuration.
  int64_t drain_deadline_ms = -1;
  // A callback that runs longer is logged, and a spare thread starts. 0: 5 s.
  int64_t stall_ms = 0;
  // For tests: drives wall clock, monotonic clock and timers.
  core::ManualClock* clock = nullptr;
  std::string log_file;  // "": stderr
};

struct Checked;

class Core {
 public:
  // Reads and checks the configuration, opens the store, starts the threads. The error lists every problem of
  // the configuration, one per line.
  static Result<std::unique_ptr<Core>> create(CoreOptions options);
  // The same, after the checks of check_configuration(): fails with its sentences, and before anything is
  // opened, unless the configuration is sound.
  static Result<std::unique_ptr<Core>> create_checked(CoreOptions options);
  ~Core();

  // Starts the configured plugins in order. A plugin that fails to start does not stop the others: the error
  // names each one and says what to change; the others run.
  Status start();
  // Reads and checks the configuration again, calls every affected plugin's check, and applies the change to
  // all plugins or to none.
  Status reload();
  // Makes plugins refuse new work and waits, up to the deadline, for running work to end.
  void drain();
  // Stops the plugins in reverse order, drained or not, then closes the store.
  Status stop();

  // [any] "metrics" (Prometheus text), "plugins" (JSON), "ready" (JSON); see pb_observe.report.
  std::string report(std::string_view what) const;
  // [any] Waits until all lines logged so far are written to `log_file`, at most a second.
  void flush_log();

 private:
  class Impl;
  struct Plan;
  static Result<std::unique_ptr<Core>> create(CoreOptions options, Plan plan);
  struct UnstartedPlugins;  // for check_configuration
  friend Checked check_configuration(const CoreOptions& options);
  explicit Core(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The result of `patchbay check`.
struct Checked {
  bool usable = false;    // a core and each of its plugins would start with it
  std::string sentences;  // one line per problem or, if usable, per warning
  // True if the configuration itself is valid: plugins that would not start have missing or broken files.
  bool sound = false;
  // Plugins that would not start, with the reason: a requirement is not configured, they cannot be loaded, or
  // their own check refuses the configuration.
  std::map<std::string, std::string> refused;
};
// Checks the configuration against the schemas and with the plugins' own checks: creates each plugin, without
// starting it, in a temporary data folder; those with `isolation: process` in a separate process.
Checked check_configuration(const CoreOptions& options);

}  // namespace patchbay

// The core as a library: what `patchbay serve` runs, and what an appliance links.
//
//   auto core = patchbay::Core::create({.config_file = "patchbay.yaml"});
//   if (core) { (*core)->start(); ... (*core)->stop(); }
//
// One Core per data folder; its functions are called by one thread (the control thread), except report().
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
  std::string config_file;  // YAML; names the folder of relative paths even when `config_text` is given
  std::string config_text;  // instead of the file's contents; "" reads the file
  std::string plugin_dir;   // where plugins are found unless the configuration says otherwise
  std::vector<const pb_entry*>
      linked_plugins;  // linked into the program; they go before files of the same id
  // The program that runs plugins configured with `isolation: process`; "": patchbay-plugin-host beside this
  // program, or in ../libexec/patchbay.
  std::string plugin_host;
  // Overrides of the configuration (PATCHBAY_...), instead of the process's environment.
  std::optional<std::map<std::string, std::string>> environment;
  int64_t start_deadline_ms = 30000;  // of each plugin's start, and of each stop
  // Of each plugin's drain; below 0: server.drain_timeout_s of the configuration.
  int64_t drain_deadline_ms = -1;
  int64_t stall_ms = 5000;  // a callback that runs longer is named in the log and given up on
  // Tests: drives wall clock, monotonic clock and timers by hand.
  core::ManualClock* clock = nullptr;
  std::string log_file;  // where log lines go; "": stderr
};

struct Checked;

class Core {
 public:
  // Reads and checks the configuration, opens the store, begins the threads. Every problem of the
  // configuration stands in the error, a line each.
  static Result<std::unique_ptr<Core>> create(CoreOptions options);
  ~Core();

  // Starts the configured plugins in order. A plugin that refuses does not stop the others: the error names
  // each with the cure, and what could start runs.
  Status start();
  // Reads the configuration again, asks every plugin, and applies it to all or to none.
  Status reload();
  // No new work; running work may end, up to the deadline.
  void drain();
  // Drained or not: stops the plugins in reverse order, then the store.
  Status stop();

  // [any] "metrics" (Prometheus text), "plugins" (JSON), "ready" (JSON); see pb_observe.report.
  std::string report(std::string_view what) const;
  // [any] Returns when all lines logged so far are written to `log_file`, at the latest after a second.
  void flush_log();

 private:
  class Impl;
  struct Rehearsal;  // for check_configuration
  friend Checked check_configuration(const CoreOptions& options);
  explicit Core(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What `patchbay check` says.
struct Checked {
  bool usable = false;    // a core would start with it, and each of its plugins
  std::string sentences;  // a line per problem, or, when usable, per warning
  // The configuration is not to blame: what would not run are plugins whose files are missing or broken.
  bool sound = false;
  // Why not, of plugins that would not start: what they require is not configured, they cannot be loaded, or
  // their own rules refuse the configuration.
  std::map<std::string, std::string> refused;
};
// Beside the schemas it asks the plugins' own rules: each is created and asked, never started, in a data
// folder that is removed afterwards; those with `isolation: process` in a process of their own.
Checked check_configuration(const CoreOptions& options);

}  // namespace patchbay

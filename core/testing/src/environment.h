// Environment: the core's subsystems for one test, without configuration, plugin folder or server. Used by
// one thread, the test's, which must not be a strand.
#pragma once

#include <patchbay/result.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "abi/subsystems.h"
#include "recording.h"
#include "rule_watch.h"

namespace patchbay::fake {

class PostgresDatabase;

struct EnvironmentOptions {
  bool real_time = false;
  bool echo = false;
  int64_t wall_ms = 0;  // 0: the default of ManualClock
  std::chrono::milliseconds wait{10'000};
  int64_t stall_ms = 0;          // 0: as in a server
  std::filesystem::path folder;  // empty: a temporary one
  std::string store;             // as StoreOptions::postgres; empty: SQLite in the folder
  core::observe::Level level = core::observe::Level::debug;
};

class Environment {
 public:
  static Result<std::unique_ptr<Environment>> create(const EnvironmentOptions& options);
  ~Environment();

  core::HostServices& services() const noexcept { return subsystems_->services(); }
  const EnvironmentOptions& options() const noexcept { return options_; }
  const std::filesystem::path& folder() const noexcept { return folder_; }
  Recording& recording() noexcept { return recording_; }
  RuleWatch& rules() noexcept { return rules_; }

  // Registers a plugin's SQL; no-op after the first time per id.
  Status register_store(const std::string& id, const std::string& sql);

  // Each waits at most options().wait.
  Status settle();
  Status advance(int64_t ms);
  Status set_wall(int64_t wall_ms);
  void on_media(core::CallFn fn, void* user);
  Result<core::Rows> sql(std::string_view statement, const core::Values& values);

 private:
  explicit Environment(const EnvironmentOptions& options);
  Status open();
  Status open_folder();
  Status open_store();
  core::Runtime& runtime() const noexcept { return services().runtime; }
  core::Store& store() noexcept { return *subsystems_->store(); }
  void flush_store();
  // With manual clocks: runs what is due, posted and ready on the media loop.
  void pump_media();
  bool is_idle() const;
  int64_t next_stop(int64_t target_ns);

  // owned; each is used by those below it
  const EnvironmentOptions options_;
  std::filesystem::path folder_;
  bool temporary_ = false;
  Recording recording_;
  RuleWatch rules_{recording_};
  std::unique_ptr<PostgresDatabase> postgres_;  // null on SQLite
  std::unique_ptr<core::ManualClock> clock_;    // null in real time
  std::unique_ptr<core::Subsystems> subsystems_;
  // state
  std::set<std::string> registered_;
  uint64_t idle_at_ = 0;  // number of strand wake-ups when everything was last idle
};

}  // namespace patchbay::fake

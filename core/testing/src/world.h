// World: the core's engines put together for one test, without configuration, plugin folder or server.
// Driven by one thread, the test's, which no strand is.
#pragma once

#include <patchbay/result.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/host_parts.h"
#include "abi/media_hub.h"
#include "abi/store_hub.h"
#include "bus/bus.h"
#include "hand_media.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "runtime/manual_clock.h"
#include "runtime/runtime.h"
#include "seen.h"
#include "services/service_registry.h"
#include "store/store.h"

namespace patchbay::core {
class HostContext;
}

namespace patchbay::fake {

class WatchedHost;
class World;

struct WorldOptions {
  bool real_time = false;
  bool echo = false;
  int64_t wall_ms = 0;  // 0: the clock's own beginning
  std::chrono::milliseconds wait{10'000};
  int64_t stall_ms = 5000;
  std::filesystem::path folder;  // empty: a temporary one
  core::observe::Level level = core::observe::Level::debug;
};

// What the watched tables find behind a HostContext.
struct WorldParts final : core::HostParts {
  World& world;
};

class World {
 public:
  static Result<std::unique_ptr<World>> create(const WorldOptions& options);
  ~World();

  core::HostParts& parts() noexcept { return *parts_; }
  const WorldOptions& options() const noexcept { return options_; }
  const std::filesystem::path& folder() const noexcept { return folder_; }
  Seen& seen() noexcept { return seen_; }
  // Null when clocks run by themselves.
  HandMedia* hand_media() noexcept { return hand_media_.get(); }

  void problem(std::string_view name, std::string_view plugin, std::string text);
  // Hosts know their worlds by their contexts; see WatchedHost.
  void enter(const core::HostContext& context, WatchedHost& host);
  WatchedHost* host_of(const core::HostContext& context);
  static World& of(core::HostContext& context) noexcept;

  // The plugin's SQL, once per id.
  Status register_store(const std::string& id, const std::string& sql);

  // Each bounded by options().wait.
  Status settle();
  Status advance(int64_t ms);
  Status set_wall(int64_t wall_ms);
  void on_media(core::CallFn fn, void* user);
  Result<core::Rows> sql(std::string_view statement, const core::Values& values);

 private:
  explicit World(const WorldOptions& options) : options_(options) {}
  Status open();
  Status open_folder();
  Status open_store();
  void flush_store();
  bool at_rest() const;
  int64_t next_stop(int64_t target_ns, bool ticking);

  // owned, each used by those below it
  const WorldOptions options_;
  std::filesystem::path folder_;
  bool temporary_ = false;
  Seen seen_;
  std::unique_ptr<core::observe::Log> log_;
  core::observe::Metrics metrics_;
  core::ServiceRegistry services_;
  std::unique_ptr<core::ManualClock> clock_;
  std::unique_ptr<HandMedia> hand_media_;
  std::unique_ptr<core::Runtime> runtime_;
  std::unique_ptr<core::Bus> bus_;
  std::unique_ptr<core::StoreHub> store_hub_;
  std::unique_ptr<core::MediaHub> media_;
  std::unique_ptr<core::Store> store_;
  std::unique_ptr<WorldParts> parts_;
  // state
  std::set<std::string> registered_;
  std::mutex mutex_;
  std::unordered_map<const core::HostContext*, WatchedHost*> hosts_;  // guarded by mutex_
  uint64_t rested_at_ = 0;  // wake-ups of strands when everything was last seen at rest
};

}  // namespace patchbay::fake

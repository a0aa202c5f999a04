// WatchedHost: the host as one plugin of a test sees it. The tables are the core's; before each call it is
// looked at whether the boundary allows it, and what is opened and closed is counted.
#pragma once

#include <patchbay/abi.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "abi/host_context.h"
#include "world.h"

namespace patchbay::fake {

// What a plugin holds by number.
enum class Held : uint32_t {
  strand,
  timer,
  subscription,
  provision,
  lease,
  watch,
  transaction,
  job_worker,
  consumer,
  attachment,
  port,
  opening,
  schema,
  document,
};

class WatchedHost {
 public:
  // `trusted`: the test itself, of whom nothing is counted or complained.
  WatchedHost(World& world, std::string id, bool trusted);
  WatchedHost(const WatchedHost&) = delete;
  WatchedHost& operator=(const WatchedHost&) = delete;

  const pb_host* raw() const noexcept { return &raw_; }
  core::HostContext& context() noexcept { return context_; }
  World& world() noexcept { return world_; }
  const std::string& id() const noexcept { return context_.id(); }
  bool trusted() const noexcept { return trusted_; }

  // [any] `function` of a table is called that a media loop may not call.
  void off_media(const char* function);
  // [any]
  void opened(Held kind, uint64_t handle);
  // [any] Before the core is asked: it forgets the handle.
  void closed(Held kind, uint64_t handle, const char* function);
  // What is still held becomes problems: the plugin has been destroyed.
  void tell_left_behind();

 private:
  static const void* query(void* self, pb_str id, uint32_t min_size) noexcept;

  // borrowed
  World& world_;
  // owned
  core::HostContext context_;
  const pb_host raw_;
  const bool trusted_;
  // state
  std::mutex mutex_;
  std::map<uint64_t, Held> held_;  // guarded by mutex_
};

// The watched tables; `host` in their signatures is a HostContext*, as in the core's.
const void* watched_table(std::string_view id, uint32_t min_size) noexcept;

}  // namespace patchbay::fake

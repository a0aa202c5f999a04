// HostContext: the host as one plugin sees it. The tables of this folder are its functions; `host` in their
// signatures is a HostContext*.
#pragma once

#include <patchbay/abi.h>

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "abi/handles.h"
#include "abi/host_functions.h"
#include "abi/host_observer.h"
#include "abi/host_services.h"
#include "abi/limits.h"
#include "abi/port.h"
#include "observe/log_throttle.h"
#include "runtime/strand.h"
#include "runtime/task.h"
#include "runtime/thread_kind.h"
#include "services/service_call.h"

namespace patchbay::core {

// The core's own tables; each lives as long as the process.
const pb_runtime& runtime_table() noexcept;
const pb_observe& observe_table() noexcept;
const pb_json& json_table() noexcept;
// The JSON functions without the checks of guarded(), for tests that have no host: `self` may be null, except
// for the schema functions.
const pb_json& json_table_without_host() noexcept;
const pb_bus& bus_table() noexcept;
const pb_store& store_table() noexcept;
const pb_services& services_table() noexcept;
const pb_media& media_table() noexcept;
HostTablePointers core_tables() noexcept;

class HostContext final : public CallObserver {
 public:
  // `tables` are what the plugin gets; they must outlive this.
  HostContext(HostServices& services, std::string id, const HostTablePointers& tables = core_tables());
  ~HostContext();

  static HostContext& of(void* host) noexcept { return *static_cast<HostContext*>(host); }
  const pb_host* raw() const noexcept { return &raw_; }
  const std::string& id() const noexcept { return id_; }
  // [any] Creates the folder at the first call.
  const std::string& data_folder();
  HostServices& services() const noexcept { return services_; }
  Handles& handles() noexcept { return handles_; }

  // Returns the strand with that handle, 0 for the main strand; null if it was closed.
  Ref<Strand> strand(uint64_t handle) const;
  const Ref<Strand>& main_strand() const noexcept { return main_; }

  PortOwner as_owner() const noexcept { return {this, name_}; }
  // The plugin's posts to media loops.
  LoopPosts& loop_posts() noexcept { return loop_posts_; }
  // Call before the plugin has something on media loops.
  void use_loops() noexcept { uses_loops_.store(true, std::memory_order_release); }

  // Identifies the plugin as a caller: a private instance without methods, which ends when the plugin stops,
  // so that plugins that keep something for it can watch its end. An isolated plugin has a new one for each
  // process.
  uint64_t life() const noexcept { return life_.load(std::memory_order_acquire); }
  void begin_life();
  void end_life();

  // Runs f() on the strand that was given for an answer; if it was closed meanwhile, on the main strand.
  template <class F>
  void deliver(const Ref<Strand>& wanted, F f) {
    auto& task = make_task([f = std::move(f)]() mutable {
      const CallbackScope what("answer");
      f();
    });
    if (wanted && !wanted->closing() && wanted->push(task)) return;
    if (!main_->push(task)) task.run(task);
  }

  // What the plugin still waits for. A stopped plugin is destroyed only once nothing of it is outstanding.
  enum class Awaited : uint8_t { store, worker, call, callbacks };
  void wait_began(Awaited what = Awaited::store) noexcept {
    outstanding_[static_cast<size_t>(what)].fetch_add(1, std::memory_order_relaxed);
  }
  void wait_ended(Awaited what = Awaited::store) noexcept {
    outstanding_[static_cast<size_t>(what)].fetch_sub(1, std::memory_order_release);
  }
  int64_t outstanding() const noexcept;
  // Lists what is outstanding: "1 worker job, 2 answers of the store"; "" for nothing.
  std::string under_way() const;
  // [control] Call before destroy: from then on no registration of the plugin (timer, event, job, watch,
  // tick) calls it, though it still holds them. Callbacks that are running right now count as outstanding().
  void suppress_callbacks();
  // [control] Call once nothing is outstanding after that: from then on no port passes frames to the plugin,
  // though it has not ended that. What is running right now counts as outstanding(), too.
  void cut_streams();
  // Cancels the calls to other plugins that are not answered yet.
  void cancel_calls();

  // [any] The plugin broke a rule: logs a warning with its name, at most one per function in ten seconds.
  void report_misuse(std::string_view rule, std::string_view function) noexcept;
  // [any] Reports that the plugin called a function on a media loop that may not be called there.
  void called_on_media(const char* function) noexcept;
  // [any] Passes to the observer that the plugin has opened, or is about to close, such a handle; 0 is
  // ignored. The core does not need it: its own tables say what a plugin holds.
  void opened(HandleKind kind, uint64_t handle) noexcept {
    if (HostObserver* observing = observer(); observing != nullptr && handle != 0)
      observing->opened(*this, kind, handle);
  }
  void closing(HandleKind kind, uint64_t handle, const char* function) noexcept {
    if (HostObserver* observing = observer(); observing != nullptr && handle != 0)
      observing->closing(*this, kind, handle, function);
  }
  // [any] Null in a server, and once the plugin was destroyed.
  HostObserver* observer() const noexcept { return observer_.load(std::memory_order_relaxed); }
  // [any] Reports a handle that the plugin closes and does not hold. Closing 0 is a no-op.
  void report_unheld_handle(std::string_view function, uint64_t handle) noexcept {
    if (handle != 0) report_misuse("a handle was closed that is not held", function);
  }
  // [any] Checks that the plugin may publish or emit an event of that topic. Code::denied: the topic is the
  // core's.
  Status check_topic(std::string_view topic);
  // [any] Counts a published event; logs a warning about a flood.
  void published() noexcept;
  // [control, after destroy] Releases all that the plugin still holds, and returns what that was: "2 leases,
  // 1 timer"; "" for nothing.
  std::string release_all();

  void call_began(ServiceCall& call) noexcept override;
  void call_ended(ServiceCall& call) noexcept override;

 private:
  void flush_loops();
  static const void* query(void* self, pb_str id, uint32_t min_size) noexcept;
  std::vector<uint64_t> held(HandleKind kind) const;

  // borrowed
  HostServices& services_;
  // owned
  const std::string id_;
  const char* const name_;  // the same, an interned_name()
  const std::string data_folder_;
  std::once_flag folder_made_;
  Ref<Strand> main_;
  Handles handles_;
  pb_media media_;  // the plugin's, with the number of loops of this host
  const HostTablePointers tables_;
  pb_host raw_;
  // state
  std::array<std::atomic<int64_t>, 4> outstanding_{};  // by Awaited
  std::atomic<bool> uses_loops_{false};
  LoopPosts loop_posts_;  // those that wait count as callbacks that are running
  std::atomic<uint64_t> life_{0};
  std::atomic<HostObserver*> observer_;
  observe::LogThrottle misuses_{std::chrono::milliseconds(kMisuseLogIntervalMs)};
  std::atomic<uint32_t> topics_made_{0};
  std::atomic<uint32_t> published_{0};
  std::atomic<int64_t> published_since_ns_{0};
  std::mutex calls_mutex_;
  std::unordered_set<ServiceCall*> calls_;  // guarded by calls_mutex_; each is removed before it ends
};

}  // namespace patchbay::core

// The kind of this thread, and the plugin that it works for. Set by the threads of the runtime, read by
// checks against misuse and by the crash banner. Reading is safe in a signal handler.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

namespace patchbay::core {

// Values are those of PB_THREAD_*.
enum class ThreadKind : int32_t {
  other = 0,   // any other: a plugin's, a library's, main
  strand = 1,  // runs strands, as an executor thread or a guest: must not block
  worker = 2,  // may block
  media = 3,   // a media loop: no malloc, lock, log or I/O
};

struct ThreadState {
  ThreadKind kind = ThreadKind::other;
  // The plugin whose code runs, or null. The watchdog reads it, too: on media loops it is an interned_name().
  std::atomic<const char*> owner{nullptr};
  const char* what = nullptr;  // the kind of its callback: "event", "method"; or null
  std::string_view detail;     // the topic or the method's name; lives as long as the callback
};

inline thread_local constinit ThreadState thread_state{};

inline ThreadKind thread_kind() noexcept { return thread_state.kind; }
inline const char* current_owner() noexcept { return thread_state.owner.load(std::memory_order_relaxed); }

// Sets the owner of what runs until the end of the scope. `owner` must outlive it.
class OwnerScope {
 public:
  explicit OwnerScope(const char* owner) noexcept : outer_(current_owner()) { set(owner); }
  ~OwnerScope() { set(outer_); }
  OwnerScope(const OwnerScope&) = delete;
  OwnerScope& operator=(const OwnerScope&) = delete;

 private:
  static void set(const char* owner) noexcept { thread_state.owner.store(owner, std::memory_order_relaxed); }
  const char* outer_;
};

// Sets the callback that the crash banner names until the end of the scope. Both must outlive it.
class CallbackScope {
 public:
  explicit CallbackScope(const char* what, std::string_view detail = {}) noexcept
      : what_(std::exchange(thread_state.what, what)), detail_(std::exchange(thread_state.detail, detail)) {}
  ~CallbackScope() {
    thread_state.what = what_;
    thread_state.detail = detail_;
  }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  const char* what_;
  std::string_view detail_;
};

}  // namespace patchbay::core

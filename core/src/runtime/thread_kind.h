// What kind of thread this is, and for whom it works: set by the threads of the runtime, read by checks
// against misuse and by the crash banner. Reading is safe in a signal handler.
#pragma once

#include <cstdint>

namespace patchbay::core {

// The numbers are those of the boundary (PB_THREAD_*).
enum class ThreadKind : int32_t {
  other = 0,   // foreign: a plugin's own, a library's, main
  strand = 1,  // an executor thread: must not block
  worker = 2,  // may block
  media = 3,   // a media loop: no malloc, lock, log or I/O
};

struct ThreadState {
  ThreadKind kind = ThreadKind::other;
  const char* owner = nullptr;  // the plugin whose code runs, or null
};

inline thread_local constinit ThreadState thread_state{};

inline ThreadKind thread_kind() noexcept { return thread_state.kind; }
inline const char* current_owner() noexcept { return thread_state.owner; }

// Names the owner of what runs until the end of the scope. `owner` must outlive it.
class OwnerScope {
 public:
  explicit OwnerScope(const char* owner) noexcept : outer_(thread_state.owner) { thread_state.owner = owner; }
  ~OwnerScope() { thread_state.owner = outer_; }
  OwnerScope(const OwnerScope&) = delete;
  OwnerScope& operator=(const OwnerScope&) = delete;

 private:
  const char* outer_;
};

}  // namespace patchbay::core

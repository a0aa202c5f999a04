// Task: one thing to run, linked into a queue by itself. Whoever posts a Task owns its memory again when
// run() is called; the makers below free themselves.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace patchbay::core {

// The lowest form of a callback, as it crosses the plugin boundary. It must not throw.
using CallFn = void (*)(void* user);

struct Task {
  using RunFn = void (*)(Task&) noexcept;

  explicit Task(RunFn fn) noexcept : run(fn) {}

  RunFn run;
  Task* next = nullptr;
};

// A task that calls fn(user) once and frees itself. On a media thread it comes from a fixed pool (4096,
// shared), so that a tick can post without malloc; from malloc elsewhere and when the pool is used up.
// `counted`, if given, is one less when it runs, before the call.
Task& make_call(CallFn fn, void* user, std::atomic<int64_t>* counted = nullptr);

// Frees a task of make_call that will not run after all.
void discard_call(Task& task) noexcept;

// Makes the pool now; called before the first media thread starts, so that no tick pays for it.
void prepare_call_pool();

// A task that owns a callable and frees itself once run. An exception that leaves the callable ends the
// process.
template <class F>
struct OwnedTask : Task {
  template <class G>
  OwnedTask(std::in_place_t, G&& g) : Task(run_and_free), callable(std::forward<G>(g)) {}

  static void run_and_free(Task& self) noexcept {
    auto& owned = static_cast<OwnedTask&>(self);
    owned.callable();
    delete &owned;
  }

  F callable;
};

template <class F>
OwnedTask<std::decay_t<F>>& make_task(F&& callable) {
  return *new OwnedTask<std::decay_t<F>>(std::in_place, std::forward<F>(callable));
}

}  // namespace patchbay::core

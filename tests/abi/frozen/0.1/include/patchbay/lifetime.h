// Lifetime: binds callbacks to an object that may be destroyed before they run.
//
//   Lifetime alive_;                                                              // the last member
//   query(host(), find_, {id}, alive_.bind([this](Result<Rows> rows) { ... }));
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace patchbay {

// Declare it as the last member, and destroy the object on the strand on which its callbacks run.
class Lifetime {
 public:
  Lifetime() : alive_(std::make_shared<std::atomic<bool>>(true)) {}
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;
  ~Lifetime() { alive_->store(false, std::memory_order_release); }

  // Returns a callable that is a no-op once this Lifetime is destroyed.
  template <class F>
  auto bind(F f) const {
    return [alive = alive_, f = std::move(f)](auto&&... arguments) mutable {
      if (alive->load(std::memory_order_acquire)) f(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<std::atomic<bool>>
      alive_;  // shared with the callables, because either may be destroyed first
};

}  // namespace patchbay

// Lifetime: lets callbacks refer to an object that may be destroyed before they come.
//
//   query(host(), find_, {id}, alive_.bind([this](Result<Rows> rows) { ... }));   // a member: Lifetime
//   alive_;
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace patchbay {

// Make it the last member of the object, and destroy the object on the strand its callbacks come on.
class Lifetime {
 public:
  Lifetime() : alive_(std::make_shared<std::atomic<bool>>(true)) {}
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;
  ~Lifetime() { alive_->store(false, std::memory_order_release); }

  // A callable that does nothing once this is destroyed.
  template <class F>
  auto bind(F f) const {
    return [alive = alive_, f = std::move(f)](auto&&... arguments) mutable {
      if (alive->load(std::memory_order_acquire)) f(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<std::atomic<bool>> alive_;  // shared with the callables: either may end first
};

}  // namespace patchbay

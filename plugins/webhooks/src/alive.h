// Callbacks that outlive who asked for them: they run only while their owner lives. Owner and callbacks are
// on one strand.
#pragma once

#include <memory>
#include <utility>

namespace patchbay::webhooks {

class Alive {
 public:
  Alive() : token_(std::make_shared<char>()) {}
  Alive(const Alive&) = delete;
  Alive& operator=(const Alive&) = delete;

  template <class F>
  auto guard(F f) const {
    return [token = std::weak_ptr<char>(token_), f = std::move(f)](auto&&... arguments) mutable {
      if (!token.expired()) f(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<char> token_;  // shared so that callbacks can watch it
};

}  // namespace patchbay::webhooks

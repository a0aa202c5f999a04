// HandleMap: objects that a plugin holds by handle. Handles are unique in the process and never reused, so
// looking up a closed handle finds nothing.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/next_handle.h"

namespace patchbay::core {

// T is cheap to copy and empty by default (a Ref, a shared_ptr). Any thread but a media loop.
template <class T>
class HandleMap {
 public:
  uint64_t add(T what) {
    const uint64_t handle = next_handle();
    put(handle, std::move(what));
    return handle;
  }
  void put(uint64_t handle, T what) {
    const std::lock_guard lock(mutex_);
    map_.emplace(handle, std::move(what));
  }
  T find(uint64_t handle) const {
    const std::lock_guard lock(mutex_);
    const auto at = map_.find(handle);
    return at == map_.end() ? T{} : at->second;
  }
  // Removes and returns it; T{} if there is none.
  T take(uint64_t handle) {
    const std::lock_guard lock(mutex_);
    const auto at = map_.find(handle);
    if (at == map_.end()) return T{};
    T what = std::move(at->second);
    map_.erase(at);
    return what;
  }
  std::vector<std::pair<uint64_t, T>> all() const {
    const std::lock_guard lock(mutex_);
    return {map_.begin(), map_.end()};
  }
  size_t size() const {
    const std::lock_guard lock(mutex_);
    return map_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, T> map_;
};

}  // namespace patchbay::core

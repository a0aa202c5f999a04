// How many connections each client address has open. [any thread]
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace patchbay::rest_api {

class AddressCounts {
 public:
  // Counts one more of `key` (lib::address_key). False: there are `most` already.
  bool add(const std::string& key, size_t most) {
    const std::lock_guard lock(mutex_);
    size_t& count = counts_[key];
    if (count >= most) return false;
    ++count;
    return true;
  }
  // Takes back one add().
  void remove(const std::string& key) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(key);
    if (found != counts_.end() && --found->second == 0) counts_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, size_t> counts_;  // guarded by mutex_
};

}  // namespace patchbay::rest_api

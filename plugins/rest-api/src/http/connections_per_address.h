// Counts the open connections of each client address, and of each IPv6 /48, which may have
// kSiteConnectionsFactor times as many, because one customer gets many /64. [any thread]
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "limits.h"
#include "rate/address_key.h"

namespace patchbay::rest_api {

class ConnectionsPerAddress {
 public:
  // Counts one more connection of `address`. False: it has `max` already, or its /48 has too many.
  bool add(std::string_view address, size_t max) {
    const std::string host = lib::address_key(address);
    const std::string site = lib::site_key(address);
    const std::lock_guard lock(mutex_);
    if (count(host) >= max || (site != host && count(site) / kSiteConnectionsFactor >= max)) return false;
    ++counts_[host];
    if (site != host) ++counts_[site];
    return true;
  }
  // Undoes one add().
  void remove(std::string_view address) {
    const std::string host = lib::address_key(address);
    const std::string site = lib::site_key(address);
    const std::lock_guard lock(mutex_);
    drop(host);
    if (site != host) drop(site);
  }

 private:
  size_t count(const std::string& key) const {
    const auto found = counts_.find(key);
    return found == counts_.end() ? 0 : found->second;
  }
  void drop(const std::string& key) {
    const auto found = counts_.find(key);
    if (found != counts_.end() && --found->second == 0) counts_.erase(found);
  }

  std::mutex mutex_;
  std::unordered_map<std::string, size_t> counts_;  // guarded by mutex_
};

}  // namespace patchbay::rest_api

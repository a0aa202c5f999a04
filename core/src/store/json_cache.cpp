#include "store/json_cache.h"

#include <utility>

#include "store/limits.h"

namespace patchbay::core {

JsonRowsPtr JsonCache::find(const std::string& key, uint64_t version) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  if (found->second->version != version) {
    remove(found->second);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->rows;
}

void JsonCache::put(const std::string& key, uint64_t version, JsonRowsPtr rows) {
  if (rows->text.size() > kMaxCachedResultBytes) return;
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) remove(found->second);
  bytes_ += rows->text.size();
  entries_.push_front({key, version, std::move(rows)});
  by_key_.emplace(key, entries_.begin());
  while (entries_.size() > kMaxCachedResults || bytes_ > kMaxCachedBytes) remove(std::prev(entries_.end()));
}

void JsonCache::remove(Entries::iterator entry) {
  bytes_ -= entry->rows->text.size();
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

}  // namespace patchbay::core

#include "store/json_cache.h"

#include <utility>

#include "store/limits.h"

namespace patchbay::core {

namespace {

// A string that has grown takes up to twice its size.
size_t memory_of(const JsonRows& rows) { return rows.text.capacity(); }

}  // namespace

JsonRowsPtr JsonCache::find(std::string_view key, uint64_t version, Moment oldest) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end() || found->second->version > version) return nullptr;
  if (found->second->version < version || found->second->read_at < oldest) {
    remove(found->second);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->rows;
}

void JsonCache::put(std::string_view key, uint64_t version, Moment read_at, JsonRowsPtr rows) {
  if (memory_of(*rows) > kMaxCachedResultBytes || key.size() > kMaxCachedKeyBytes) return;
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    const Entry& known = *found->second;
    if (known.version > version) return;  // of a query that began before the last commit
    if (known.version == version && known.read_at > read_at) return;
    remove(found->second);
  }
  entries_.push_front({std::string(key), version, read_at, std::move(rows)});
  bytes_ += memory_of(*entries_.front().rows);
  by_key_.emplace(entries_.front().key, entries_.begin());
  while (entries_.size() > kMaxCachedResults || bytes_ > kMaxCachedBytes) remove(std::prev(entries_.end()));
}

void JsonCache::remove(Entries::iterator entry) {
  bytes_ -= memory_of(*entry->rows);
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

}  // namespace patchbay::core

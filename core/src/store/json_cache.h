// JsonCache: the last results of queries as JSON. Each is valid until this process changes its owner's tables
// (Statement::version), so that a list that is read often costs no query. What other processes may change
// also has a maximum age. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "store/json_rows.h"

namespace patchbay::core {

using JsonRowsPtr = std::shared_ptr<const JsonRows>;  // shared by the cache and the readers

class JsonCache {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  // Null: there is no result of this version that was read at `oldest` or later.
  JsonRowsPtr find(std::string_view key, uint64_t version, Moment oldest);
  // Drops the results that were used least recently if there are more than kMaxCachedResults, or if they are
  // larger than kMaxCachedBytes together; keeps none larger than kMaxCachedResultBytes, and none whose key is
  // larger than kMaxCachedKeyBytes. A later version stays, and of the same version what was read later.
  // `read_at` is taken before the query begins.
  void put(std::string_view key, uint64_t version, Moment read_at, JsonRowsPtr rows);

 private:
  struct Entry {
    std::string key;
    uint64_t version = 0;
    Moment read_at;
    JsonRowsPtr rows;
  };
  using Entries = std::list<Entry>;
  void remove(Entries::iterator entry);

  std::mutex mutex_;
  Entries entries_;                                                 // the one used last is the first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;  // views of the entries' keys
  size_t bytes_ = 0;                                                // of the texts' memory
};

}  // namespace patchbay::core

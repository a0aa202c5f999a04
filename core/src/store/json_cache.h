// JsonCache: the last results of queries as JSON. Each is valid until its owner's tables change
// (OwnerVersions), so that a list that is read often costs no query. Any thread.
#pragma once

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
  // Null: there is no result of this version.
  JsonRowsPtr find(std::string_view key, uint64_t version);
  // Drops the results that were used least recently if there are more than kMaxCachedResults, or if they are
  // larger than kMaxCachedBytes together; keeps none larger than kMaxCachedResultBytes, and none whose key is
  // larger than kMaxCachedKeyBytes. A later version stays.
  void put(std::string_view key, uint64_t version, JsonRowsPtr rows);

 private:
  struct Entry {
    std::string key;
    uint64_t version = 0;
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

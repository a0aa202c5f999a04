// JsonRead: one query for rows as JSON, whose result may be in the cache, or is put there.
#pragma once

#include <cstdint>
#include <string>

#include "store/json_cache.h"
#include "store/json_query.h"
#include "store/statement_registry.h"

namespace patchbay::core {

// Create it before the query runs: it reads the version before the rows, so that a commit meanwhile makes
// what is kept invalid. Commits of other processes raise no version here, so on a database that they share a
// result also has a maximum age.
class JsonRead {
 public:
  // Borrows the cache. `statement`: of the query; null for an unknown one. `changes_elsewhere`: the number of
  // changes of other processes that were seen so far.
  JsonRead(JsonCache& cache, const JsonQuery& query, const Statement* statement, uint64_t changes_elsewhere,
           bool is_shared);

  // Null: the result is not kept, or too old.
  JsonRowsPtr kept() const;
  Result<JsonRowsPtr> keep(Result<JsonRows> result) const;

 private:
  // borrowed
  JsonCache& cache_;
  // state
  std::string key_;  // "": the result is not kept
  uint64_t version_ = 0;
  JsonCache::Moment begun_{};  // the same for all results of a database that is not shared
};

}  // namespace patchbay::core

// WriteSession's log retention: consumers, and pruning of events.
#include "store/write_session.h"

namespace patchbay::core {

Status WriteSession::put_consumer(const std::string& name, const std::string& patterns) {
  PB_TRY(begin());
  PB_TRY(run("consumer-put", {name, patterns}));
  PB_TRY(consumers_changed());
  PB_TRY(commit());  // on an error the writer rolls back
  live_consumers_.insert(name);
  return {};
}

Status WriteSession::forget_consumer(const std::string& name) {
  if (live_consumers_.count(name) != 0)
    return {Code::conflict, "the consumer " + name + " is in use: remove its plugin from the configuration"};
  PB_TRY(begin());
  PB_TRY_VALUE(const int64_t known, run("consumer-forget", {name}));
  if (known == 0) return {Code::not_found, "there is no consumer " + name};
  PB_TRY(consumers_changed());
  return commit();
}

Result<ConsumerPurgeResult> WriteSession::purge_consumers(int64_t unseen_since_ms, int64_t limit) {
  for (const std::string& name : live_consumers_) PB_TRY(run("consumer-seen", {name}));
  PB_TRY(consumers_changed());
  Rows rows;
  PB_TRY(run("consumers", {}, &rows));
  ConsumerPurgeResult tidied;
  for (size_t row = 0; row < rows.row_count(); ++row) {
    const std::string name(rows.text(row, 0));
    if (rows.integer(row, 4) == 0) {
      if (rows.integer(row, 3) >= unseen_since_ms || live_consumers_.count(name) != 0) continue;
      PB_TRY(run("consumer-forget", {name}));
      tidied.forgotten.push_back(name);
    }
    PB_TRY_VALUE(const int64_t removed, run("pending-forget", {name, limit - tidied.removed}));
    tidied.removed += removed;
    PB_TRY(run("consumer-remove", {name}));
    tidied.more = tidied.removed >= limit;
    if (tidied.more) break;
  }
  return tidied;
}

Result<PruneResult> WriteSession::prune(int64_t older_than_ms, PruneCursor from, int64_t limit) {
  Rows rows;
  PB_TRY(run("events-old", {older_than_ms, from.ts_ms, from.id, limit}, &rows));
  PruneResult pruned;
  pruned.next = from;
  for (size_t row = 0; row < rows.row_count(); ++row) {
    pruned.next = {rows.integer(row, 0), rows.integer(row, 1)};
    PB_TRY_VALUE(const int64_t removed, run("event-prune", {pruned.next.id}));
    pruned.removed += removed;
  }
  pruned.more = rows.row_count() == static_cast<size_t>(limit);
  return pruned;
}

}  // namespace patchbay::core

#include "store/json_read.h"

#include <chrono>
#include <utility>

#include "store/limits.h"
#include "store/postgres_limits.h"

namespace patchbay::core {
namespace {

// Different for every two queries, whatever bytes they hold. "": the query is too large for the cache.
std::string cache_key(const JsonQuery& query) {
  size_t bytes = query.members.size() + query.values.size() * sizeof(Value);
  for (const Value& value : query.values) bytes += value.data.size();
  if (bytes > kMaxCachedKeyBytes) return {};
  std::string key;
  key.reserve(bytes + 2 * sizeof(uint64_t));
  const auto append = [&key](auto number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  append(query.statement.number);
  append(query.values.size());
  for (const Value& value : query.values) {
    append(value.type);
    append(value.integer);
    append(value.real);
    append(value.data.size());
    key += value.data;
  }
  return key += query.members;
}

}  // namespace

JsonRead::JsonRead(JsonCache& cache, const JsonQuery& query, const Statement* statement,
                   uint64_t changes_elsewhere, bool is_shared)
    : cache_(cache) {
  if (statement == nullptr || !statement->deterministic) return;
  key_ = cache_key(query);
  version_ = statement->version->load() + changes_elsewhere;  // both only grow
  if (is_shared) begun_ = std::chrono::steady_clock::now();
}

JsonRowsPtr JsonRead::kept() const {
  if (key_.empty()) return nullptr;
  return cache_.find(key_, version_, begun_ - std::chrono::milliseconds(kPostgresKeptMs));
}

Result<JsonRowsPtr> JsonRead::keep(Result<JsonRows> result) const {
  if (!result) return std::move(result).error();
  JsonRowsPtr rows = std::make_shared<const JsonRows>(*std::move(result));
  if (!key_.empty()) cache_.put(key_, version_, begun_, rows);
  return rows;
}

}  // namespace patchbay::core

#include "store/statement_registry.h"

namespace patchbay::core {

void StatementRegistry::add(std::vector<Statement> statements) {
  std::lock_guard lock(mutex_);
  if (!statements.empty()) versions_[statements.front().owner].fetch_add(1);
  for (Statement& statement : statements) {
    statement.version = &versions_[statement.owner];
    StatementId id{static_cast<uint32_t>(all_.size()) + 1};
    by_name_[{statement.owner, statement.name}] = id;
    all_.push_back(std::move(statement));
  }
}

Result<StatementId> StatementRegistry::find(std::string_view owner, std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto found = by_name_.find({std::string(owner), std::string(name)});
  if (found != by_name_.end()) return found->second;
  return {Code::not_found, "'" + std::string(owner) + "' has no statement '" + std::string(name) + "'"};
}

const Statement* StatementRegistry::get(StatementId id) const {
  std::lock_guard lock(mutex_);
  return id.number == 0 || id.number > all_.size() ? nullptr : &all_[id.number - 1];
}

Result<StatementCache::Entry*> StatementCache::get(StatementId id) {
  if (id.number >= entries_.size()) {
    if (!statements_.get(id)) return {Code::misuse, "no statement has number " + std::to_string(id.number)};
    entries_.resize(id.number + 1);
  }
  Entry& entry = entries_[id.number];
  if (entry.statement) return &entry;
  const Statement* statement = statements_.get(id);
  if (!statement) return {Code::misuse, "no statement has number " + std::to_string(id.number)};
  PB_TRY_VALUE(entry.compiled, connection_.prepare(*statement));
  entry.statement = statement;
  return &entry;
}

}  // namespace patchbay::core

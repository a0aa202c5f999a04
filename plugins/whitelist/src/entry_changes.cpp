// EntryStore's changes: compare with what was read, and commit with the audit record.
#include <patchbay/json.h>
#include <patchbay/text.h>

#include <set>
#include <utility>

#include "entry_store.h"
#include "number/number.h"
#include "whitelist_limits.h"

namespace patchbay::whitelist {
namespace {

// Never Code::invalid, whose text the client receives: errors of the store are only logged.
Error store_error(const Error& error) { return {Code::unavailable, error.text}; }

bool is_conflict(const Commit& commit) { return !commit && commit.code() == Code::conflict; }

void write_entry(JsonWriter& out, const Entry& entry) {
  out.object().member("number", entry.number).member("comment", entry.comment).end();
}

std::string audited(const Entry& entry) {
  JsonWriter out;
  write_entry(out, entry);
  return std::move(out).str();
}

template <class Entries, class EntryOf>
std::string audited_list(const Entries& entries, EntryOf entry_of) {
  JsonWriter out;
  out.object().member("count", entries.size());
  if (entries.size() <= kMaxAuditedEntries) {
    out.key("numbers").array();
    for (const auto& each : entries) write_entry(out, entry_of(each));
    out.end();
  }
  out.end();
  return std::move(out).str();
}

}  // namespace

struct EntryStore::Addition {
  std::string tenant, typed, number;  // normalised
  std::optional<std::string> comment;
  audit::Record record;
  Function<void(Result<AddResult>)> done;
  int tries = 0;
};

struct EntryStore::Replacement {
  std::string tenant;
  std::vector<Stored> entries;
  audit::Record record;
  Function<void(Result<int64_t>)> done;
  int tries = 0;
};

struct EntryStore::Removal {
  std::string tenant, number;  // normalised
  audit::Record record;
  Function<void(Result<std::optional<Entry>>)> done;
  int tries = 0;
};

void EntryStore::read(const std::string& tenant, const std::string& number,
                      Function<void(Result<std::optional<Entry>>)> done) {
  query(*host_, get_, {tenant, number}, alive_.bind([done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(store_error(rows.error()));
    if (rows->empty()) return done(std::optional<Entry>());
    done(std::optional(Entry{std::string(rows->text(0, 0)), std::string(rows->text(0, 1))}));
  }));
}

void EntryStore::add(const std::string& tenant, const std::string& number,
                     const std::optional<std::string>& comment, const audit::Record& record,
                     Function<void(Result<AddResult>)> done) {
  auto normal = lib::normalise_number(number);
  if (!normal) return done(normal.error());
  auto addition = std::make_shared<Addition>(
      Addition{tenant, std::string(trim(number)), *std::move(normal), {}, record, std::move(done)});
  if (comment) addition->comment = cut_comment(*comment);
  addition->record.object = addition->number;
  try_to_add(std::move(addition));
}

void EntryStore::try_to_add(std::shared_ptr<Addition> addition) {
  const Addition& wanted = *addition;
  ++addition->tries;
  read(wanted.tenant, wanted.number, [this, addition](const Result<std::optional<Entry>>& before) {
    if (!before) return addition->done(before.error());
    commit_addition(addition, *before);
  });
}

void EntryStore::commit_addition(const std::shared_ptr<Addition>& addition,
                                 const std::optional<Entry>& before) {
  const Addition& wanted = *addition;
  const bool is_new = !before;
  const Entry after{is_new ? wanted.typed : before->number,
                    wanted.comment.value_or(is_new ? std::string() : before->comment)};
  Transaction tx(*host_);
  if (is_new)
    tx.exec(add_, {wanted.tenant, wanted.number, after.number, after.comment}, 1);
  else if (after.comment != before->comment)
    tx.exec(set_comment_, {wanted.tenant, wanted.number, after.comment, before->comment}, 1);
  const bool changes = is_new || after.comment != before->comment;
  const size_t count = tx.exec(count_, {wanted.tenant});
  auto committed = alive_.bind([this, addition, after, is_new, count](const Commit& commit) {
    if (is_conflict(commit) && addition->tries < kMaxChangeTries) return try_to_add(addition);
    if (!commit) return addition->done(store_error(commit.error()));
    addition->done(AddResult{after, is_new, commit.result(count).integer(0, 0)});
  });
  if (!changes) return std::move(tx).commit(std::move(committed));
  audit::Record record = wanted.record;
  record.action = is_new ? "whitelist.added" : "whitelist.changed";
  record.before = is_new ? std::string() : audited(*before);
  record.after = audited(after);
  trail_.commit(std::move(tx), std::move(record), std::move(committed));
}

void EntryStore::write(const std::string& tenant, const std::vector<Entry>& entries,
                       const audit::Record& record, Function<void(Result<int64_t>)> done) {
  auto replacement = std::make_shared<Replacement>(Replacement{tenant, {}, record, std::move(done)});
  std::set<std::string> seen;
  for (const Entry& entry : entries) {
    auto normal = lib::normalise_number(entry.number);
    if (!normal) return replacement->done(normal.error());
    const auto [place, is_new] = seen.insert(*std::move(normal));
    if (!is_new) continue;
    replacement->entries.push_back({{std::string(trim(entry.number)), cut_comment(entry.comment)}, *place});
  }
  replacement->record.action = "whitelist.replaced";
  replacement->record.after =
      audited_list(replacement->entries, [](const Stored& stored) { return stored.entry; });
  try_to_write(std::move(replacement));
}

void EntryStore::try_to_write(std::shared_ptr<Replacement> replacement) {
  const Replacement& wanted = *replacement;
  ++replacement->tries;
  query(*host_, list_, {wanted.tenant}, alive_.bind([this, replacement](const Result<Rows>& rows) {
    if (!rows) return replacement->done(store_error(rows.error()));
    std::vector<Stored> before;
    before.reserve(rows->size());
    for (size_t row = 0; row < rows->size(); ++row)
      before.push_back({{std::string(rows->text(row, 0)), std::string(rows->text(row, 1))},
                        std::string(rows->text(row, 2))});
    commit_replacement(replacement, before);
  }));
}

void EntryStore::commit_replacement(const std::shared_ptr<Replacement>& replacement,
                                    const std::vector<Stored>& before) {
  const Replacement& wanted = *replacement;
  Transaction tx(*host_);
  // Of a list that is recorded whole each entry must be as it was read, of a longer one the length.
  const bool is_recorded = before.size() <= kMaxAuditedEntries;
  for (size_t i = 0; is_recorded && i < before.size(); ++i)
    tx.exec(remove_, {wanted.tenant, before[i].number, before[i].entry.comment}, 1);
  tx.exec(clear_, {wanted.tenant}, is_recorded ? 0 : static_cast<int64_t>(before.size()));
  int64_t position = 0;
  for (const Stored& stored : wanted.entries)
    tx.exec(insert_, {wanted.tenant, stored.number, stored.entry.number, stored.entry.comment, ++position});
  audit::Record record = wanted.record;
  record.before = audited_list(before, [](const Stored& stored) { return stored.entry; });
  trail_.commit(std::move(tx), std::move(record), alive_.bind([this, replacement](const Commit& commit) {
    if (is_conflict(commit) && replacement->tries < kMaxChangeTries) return try_to_write(replacement);
    if (!commit) return replacement->done(store_error(commit.error()));
    replacement->done(static_cast<int64_t>(replacement->entries.size()));
  }));
}

void EntryStore::remove(const std::string& tenant, const std::string& number, const audit::Record& record,
                        Function<void(Result<std::optional<Entry>>)> done) {
  auto normal = lib::normalise_number(number);
  if (!normal) return done(normal.error());
  auto removal = std::make_shared<Removal>(Removal{tenant, *std::move(normal), record, std::move(done)});
  removal->record.action = "whitelist.removed";
  removal->record.object = removal->number;
  try_to_remove(std::move(removal));
}

void EntryStore::try_to_remove(std::shared_ptr<Removal> removal) {
  const Removal& wanted = *removal;
  ++removal->tries;
  read(wanted.tenant, wanted.number, [this, removal](const Result<std::optional<Entry>>& before) {
    if (!before || !*before) return removal->done(before);
    commit_removal(removal, **before);
  });
}

void EntryStore::commit_removal(const std::shared_ptr<Removal>& removal, const Entry& before) {
  Transaction tx(*host_);
  tx.exec(remove_, {removal->tenant, removal->number, before.comment}, 1);
  audit::Record record = removal->record;
  record.before = audited(before);
  trail_.commit(std::move(tx), std::move(record), alive_.bind([this, removal, before](const Commit& commit) {
    if (is_conflict(commit) && removal->tries < kMaxChangeTries) return try_to_remove(removal);
    if (!commit) return removal->done(store_error(commit.error()));
    removal->done(std::optional(before));
  }));
}

}  // namespace patchbay::whitelist

#include "entry_store.h"

#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include <set>

#include "number/number.h"
#include "whitelist_limits.h"

namespace patchbay::whitelist {
namespace {

// Never Code::invalid, whose text the client receives: errors of the store are only logged.
Error store_error(const Commit& commit) { return {Code::unavailable, commit.error().text}; }

}  // namespace

std::string cut_comment(std::string_view text) {
  return std::string(clip_characters(text, kMaxCommentCharacters));
}

EntryStore::EntryStore(const Host& host)
    : host_(&host),
      contains_(Statement::find(host, "contains")),
      list_(Statement::find(host, "list")),
      count_(Statement::find(host, "count")),
      add_(Statement::find(host, "add")),
      set_comment_(Statement::find(host, "set_comment")),
      get_(Statement::find(host, "get")),
      clear_(Statement::find(host, "clear")),
      insert_(Statement::find(host, "insert")) {}

void EntryStore::contains(const std::string& tenant, const std::string& number,
                          Function<void(Result<bool>)> done) {
  const auto normal = lib::normalise_number(number);
  if (!normal) return done(false);
  query(*host_, contains_, {tenant, *normal}, alive_.bind([done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    done(!rows->empty());
  }));
}

void EntryStore::list(const std::string& tenant, Function<void(Result<std::vector<Entry>>)> done) {
  query(*host_, list_, {tenant}, alive_.bind([done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    std::vector<Entry> entries;
    entries.reserve(rows->size());
    for (size_t row = 0; row < rows->size(); ++row)
      entries.push_back({std::string(rows->text(row, 0)), std::string(rows->text(row, 1))});
    done(std::move(entries));
  }));
}

Status EntryStore::add_to(Transaction& tx, const std::string& tenant, const std::string& number,
                          const std::string& comment) const {
  PB_TRY_VALUE(const std::string normal, lib::normalise_number(number));
  tx.exec(add_, {tenant, normal, trim(number), cut_comment(comment)});
  return {};
}

void EntryStore::add(const std::string& tenant, const std::string& number,
                     const std::optional<std::string>& comment, Function<void(Result<AddResult>)> done) {
  const auto normal = lib::normalise_number(number);
  if (!normal) return done(normal.error());
  Transaction tx(*host_);
  const size_t insert = tx.exec(add_, {tenant, *normal, trim(number), cut_comment(comment.value_or(""))});
  if (comment) tx.exec(set_comment_, {tenant, *normal, cut_comment(*comment)}, 1);
  const size_t get = tx.exec(get_, {tenant, *normal});
  const size_t count = tx.exec(count_, {tenant});
  std::move(tx).commit(alive_.bind([=, done = std::move(done)](const Commit& commit) {
    if (!commit) return done(store_error(commit));
    const Rows now = commit.result(get);
    AddResult result;
    result.added = !commit.result(insert).empty();
    result.entry = {std::string(now.text(0, 0)), std::string(now.text(0, 1))};
    result.count = commit.result(count).integer(0, 0);
    done(std::move(result));
  }));
}

void EntryStore::write(const std::string& tenant, const std::vector<Entry>& entries,
                       Function<void(Result<int64_t>)> done) {
  Transaction tx(*host_);
  tx.exec(clear_, {tenant});
  std::set<std::string> seen;
  for (const Entry& entry : entries) {
    auto normal = lib::normalise_number(entry.number);
    if (!normal) return done(normal.error());
    const auto [place, is_new] = seen.insert(*std::move(normal));
    if (!is_new) continue;
    tx.exec(insert_, {tenant, *place, trim(entry.number), cut_comment(entry.comment), seen.size()});
  }
  std::move(tx).commit(
      alive_.bind([done = std::move(done), count = static_cast<int64_t>(seen.size())](const Commit& commit) {
        if (!commit) return done(store_error(commit));
        done(count);
      }));
}

}  // namespace patchbay::whitelist

#include "entry_store.h"

#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include "number/number.h"
#include "whitelist_limits.h"

namespace patchbay::whitelist {
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
      remove_(Statement::find(host, "remove")),
      get_(Statement::find(host, "get")),
      clear_(Statement::find(host, "clear")),
      insert_(Statement::find(host, "insert")),
      trail_(host) {}

void EntryStore::find(const std::string& tenant, const std::string& number,
                      Function<void(Result<std::optional<Entry>>)> done) {
  const auto normal = lib::normalise_number(number);
  if (!normal) return done(std::optional<Entry>());
  query(*host_, contains_, {tenant, *normal}, alive_.bind([done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    if (rows->empty()) return done(std::optional<Entry>());
    done(std::optional(Entry{std::string(rows->text(0, 0)), std::string(rows->text(0, 1))}));
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

}  // namespace patchbay::whitelist

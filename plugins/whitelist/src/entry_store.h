// EntryStore: the statements on the entries (store.sql). Normalises numbers, so that every reader and writer
// compares the same form. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/audit.h>
#include <patchbay/store.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace patchbay::whitelist {

struct Entry {
  std::string number;  // as typed
  std::string comment;
};

struct AddResult {
  Entry entry;  // as stored now
  bool added = false;
  int64_t count = 0;  // entries of the tenant
};

class EntryStore {
 public:
  explicit EntryStore(const Host& host);

  // Returns the entry of the number, or nothing if it is not listed. Callers must refuse the dial on an
  // error.
  void find(const std::string& tenant, const std::string& number,
            Function<void(Result<std::optional<Entry>>)> done);
  void list(const std::string& tenant, Function<void(Result<std::vector<Entry>>)> done);

  // The changes of users. Each completes `record` and commits with it; a request that changes nothing has no
  // record. The values before the change are read first, and the change is repeated when they were changed
  // meanwhile, kMaxChangeTries times. Code::invalid: not a number.
  // A given comment replaces the old one. Comments are cut by cut_comment().
  void add(const std::string& tenant, const std::string& number, const std::optional<std::string>& comment,
           const audit::Record& record, Function<void(Result<AddResult>)> done);
  // Replaces all entries, in this order, and returns their number. Of equal numbers the first one is kept.
  void write(const std::string& tenant, const std::vector<Entry>& entries, const audit::Record& record,
             Function<void(Result<int64_t>)> done);
  // Returns the removed entry, or nothing if the number was not listed.
  void remove(const std::string& tenant, const std::string& number, const audit::Record& record,
              Function<void(Result<std::optional<Entry>>)> done);

  // Appends exactly one exec() to the transaction; its result has one row if the number is new, otherwise
  // none.
  Status add_to(Transaction& tx, const std::string& tenant, const std::string& number,
                const std::string& comment) const;

 private:
  struct Addition;
  struct Replacement;
  struct Removal;
  struct Stored {
    Entry entry;
    std::string number;  // normalised
  };
  void read(const std::string& tenant, const std::string& number,
            Function<void(Result<std::optional<Entry>>)> done);
  void try_to_add(std::shared_ptr<Addition> addition);
  void commit_addition(const std::shared_ptr<Addition>& addition, const std::optional<Entry>& before);
  void try_to_write(std::shared_ptr<Replacement> replacement);
  void commit_replacement(const std::shared_ptr<Replacement>& replacement, const std::vector<Stored>& before);
  void try_to_remove(std::shared_ptr<Removal> removal);
  void commit_removal(const std::shared_ptr<Removal>& removal, const Entry& before);

  const Host* host_;
  Statement contains_, list_, count_, add_, set_comment_, remove_, get_, clear_, insert_;
  audit::Trail trail_;
  Lifetime alive_;
};

// Returns the first kMaxCommentCharacters.
std::string cut_comment(std::string_view text);

}  // namespace patchbay::whitelist

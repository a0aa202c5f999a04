// EntryStore: the statements on the entries (store.sql). Normalises numbers, so that every reader and writer
// compares the same form. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

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

  // Returns whether the number is listed. Callers must refuse the dial on an error.
  void contains(const std::string& tenant, const std::string& number, Function<void(Result<bool>)> done);
  void list(const std::string& tenant, Function<void(Result<std::vector<Entry>>)> done);
  // Code::invalid: not a number. A given comment replaces the old one. Comments are cut by cut_comment().
  void add(const std::string& tenant, const std::string& number, const std::optional<std::string>& comment,
           Function<void(Result<AddResult>)> done);
  // Replaces all entries, in this order, and returns their number. Of equal numbers the first one is kept.
  void write(const std::string& tenant, const std::vector<Entry>& entries,
             Function<void(Result<int64_t>)> done);

  // Appends exactly one exec() to the transaction; its result has one row if the number is new, otherwise
  // none.
  Status add_to(Transaction& tx, const std::string& tenant, const std::string& number,
                const std::string& comment) const;

 private:
  const Host* host_;
  Statement contains_, list_, count_, add_, set_comment_, get_, clear_, insert_;
  Lifetime alive_;
};

// Returns the first kMaxCommentCharacters.
std::string cut_comment(std::string_view text);

}  // namespace patchbay::whitelist

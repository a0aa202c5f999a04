// The entries in the store. Main strand. Numbers are normalised here, so that every reader and writer means
// the same.
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

struct Added {
  Entry entry;  // as it stands now
  bool added = false;
  int64_t count = 0;  // entries of the tenant
};

class EntryStore {
 public:
  explicit EntryStore(const Host& host);

  // Whether the number may be dialled. An error means that nobody knows.
  void contains(const std::string& tenant, const std::string& number, Function<void(Result<bool>)> done);
  void list(const std::string& tenant, Function<void(Result<std::vector<Entry>>)> done);
  // Code::invalid: no number. A comment that is given replaces the old one. Comments are cut to 200
  // characters.
  void add(const std::string& tenant, const std::string& number, const std::optional<std::string>& comment,
           Function<void(Result<Added>)> done);
  // Replaces all entries, in this order; of equal numbers the first counts. Gives their count.
  void write(const std::string& tenant, const std::vector<Entry>& entries,
             Function<void(Result<int64_t>)> done);

  // Appends exactly one exec() to somebody's transaction: one row when the number is new, none otherwise.
  Status add_to(Transaction& tx, const std::string& tenant, const std::string& number,
                const std::string& comment) const;

 private:
  const Host* host_;
  Statement contains_, list_, count_, add_, set_comment_, get_, clear_, insert_;
  Lifetime alive_;
};

// The first 200 characters.
std::string cut_comment(std::string_view text);

}  // namespace patchbay::whitelist

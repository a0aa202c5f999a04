// NumberStore: the statements on the numbers that were created over REST (store.sql). It keeps nothing in
// memory, so that several servers on one database see each other's changes at once. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>

#include <string>
#include <vector>

#include "virtual_number.h"

namespace patchbay::numbers {

class NumberStore {
 public:
  NumberStore(const Host& host, const Log& log);

  // Where a number stands in the list.
  struct Place {
    int64_t position = 0;
    std::string number;
  };
  // `number` is normalised. Code::not_found: there is none.
  void find(const std::string& tenant, const std::string& number, Function<void(Result<VirtualNumber>)> done);
  // The same without the large columns and the secret.
  void lookup(const std::string& tenant, const std::string& number, Function<void(Result<Summary>)> done);
  // All numbers of the tenant, in their order.
  void order(const std::string& tenant, Function<void(Result<std::vector<Place>>)> done);
  // `count` numbers in their order, `first` included.
  void page(const std::string& tenant, const Place& first, size_t count,
            Function<void(Result<std::vector<VirtualNumber>>)> done);
  void count(const std::string& tenant, Function<void(Result<int64_t>)> done);

  // Each appends one exec(). The commit fails with Code::conflict when the number exists already, or was
  // changed since it was read.
  Status add(Transaction& tx, const std::string& tenant, const VirtualNumber& number) const;
  Status change(Transaction& tx, const std::string& tenant, const VirtualNumber& number) const;
  void remove(Transaction& tx, const std::string& tenant, const VirtualNumber& number) const;

 private:
  VirtualNumber read(const std::string& tenant, const Rows& rows, size_t row) const;
  Result<std::string> seal_key(const std::string& tenant, const VirtualNumber& number) const;

  // borrowed
  const Host& host_;
  const Log& log_;
  // owned
  const Statement find_, lookup_, order_, page_, count_, add_, change_, remove_;
  Lifetime alive_;
};

}  // namespace patchbay::numbers

// NumberDirectory: the numbers of the configuration and those of the store, as one list. A configured number
// hides one of the store with the same number. Main strand.
#pragma once

#include <string>
#include <vector>

#include "number_store.h"
#include "read_settings.h"

namespace patchbay::numbers {

class NumberDirectory {
 public:
  // Borrows both.
  NumberDirectory(NumberStore& store, const Log& log) : store_(store), log_(log) {}

  // Logs a warning for each stored number that a configured one hides.
  void configure(Settings settings);
  const Settings& settings() const noexcept { return settings_; }

  // `number` in any spelling. Code::not_found: the tenant has no such number.
  void find(const std::string& tenant, const std::string& number, Function<void(Result<VirtualNumber>)> done);
  void lookup(const std::string& tenant, const std::string& number, Function<void(Result<Summary>)> done);

  struct Page {
    std::vector<VirtualNumber> numbers;
    int64_t total = 0;
  };
  // The configured ones in document order, then the others in the order of their making.
  void list(const std::string& tenant, int64_t limit, int64_t offset, Function<void(Result<Page>)> done);

 private:
  using Places = std::vector<NumberStore::Place>;
  void list_stored(const std::string& tenant, size_t limit, size_t skip, Page page, Places places,
                   Function<void(Result<Page>)> done);
  void warn_if_stored(const std::string& tenant, const std::string& number);

  // borrowed
  NumberStore& store_;
  const Log& log_;
  // state
  Settings settings_;
  // owned
  Lifetime alive_;
};

}  // namespace patchbay::numbers

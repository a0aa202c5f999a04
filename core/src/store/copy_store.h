// Copies a store from SQLite to PostgreSQL.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace patchbay::core {

struct CopiedTable {
  std::string name;
  int64_t rows = 0;
};

// Copies all tables of the database at `path`, which no other process may have open, in one transaction, and
// compares the number of rows of each. Fails with Code::conflict when the target has tables already, also
// those of others in the same schema. Blocks. `password` may be empty, as in StoreOptions.
Result<std::vector<CopiedTable>> copy_store(const std::filesystem::path& path, const std::string& postgres,
                                            const std::string& password);

}  // namespace patchbay::core

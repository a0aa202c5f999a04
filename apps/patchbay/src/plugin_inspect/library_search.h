// LibrarySearch: finds libraries as the dynamic linker would, without loading them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::app {

// Immutable; any thread.
class LibrarySearch {
 public:
  // Reads /etc/ld.so.cache and LD_LIBRARY_PATH.
  LibrarySearch();

  // `run_path` (see ElfFile) and `needed_by` (its path) are those of the object that needs the library.
  std::optional<std::filesystem::path> find(const std::string& library, const std::string& run_path,
                                            const std::filesystem::path& needed_by) const;

 private:
  void read_cache(std::string_view cache);

  std::vector<std::string> first_;            // LD_LIBRARY_PATH
  std::map<std::string, std::string> cache_;  // library -> file
};

// Returns the undefined symbols of `object` that neither it, its libraries nor this program define, so that
// loading it would fail.
std::vector<std::string> unresolved_symbols(const LibrarySearch& search, const std::filesystem::path& object);

}  // namespace patchbay::app

// LibrarySearch: where the dynamic linker would find a library, asked without loading anything.
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

  // `run_path` as ElfFile gives it, of the object that needs the library and lies at `needed_by`.
  std::optional<std::filesystem::path> find(const std::string& library, const std::string& run_path,
                                            const std::filesystem::path& needed_by) const;

 private:
  void read_cache(std::string_view cache);

  std::vector<std::string> first_;            // LD_LIBRARY_PATH
  std::map<std::string, std::string> cache_;  // library -> file
};

// What `object` needs that neither it, nor any library it needs, nor this program defines: loading it would
// fail.
std::vector<std::string> unresolved_symbols(const LibrarySearch& search, const std::filesystem::path& object);

}  // namespace patchbay::app

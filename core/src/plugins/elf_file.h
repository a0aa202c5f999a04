// ElfFile: reads what can be known of a shared object without loading it. The file is not trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/result.h"

namespace patchbay::core {

class ElfFile {
 public:
  static constexpr uint64_t kMostBytes = 512u << 20;

  // invalid: not a 64-bit little-endian x86-64/aarch64 shared object, or cut short.
  static Result<ElfFile> read(const std::filesystem::path& path);

  // Contents of a section, without zero bytes at its end; nullopt when there is none.
  std::optional<std::string_view> section(std::string_view name) const;
  // DT_NEEDED: the libraries it asks for, in order.
  const std::vector<std::string>& needed() const noexcept { return needed_; }

 private:
  struct Section {
    std::string_view name;
    uint32_t type;
    uint64_t offset;
    uint64_t size;
    uint32_t link;
  };

  Status read_sections();
  void read_needed();
  // Part of the file; empty when it does not lie inside.
  std::string_view part(uint64_t offset, uint64_t size) const noexcept;
  std::string_view string_at(std::string_view table, uint64_t offset) const noexcept;

  std::string bytes_;
  std::vector<Section> sections_;
  std::vector<std::string> needed_;
};

}  // namespace patchbay::core

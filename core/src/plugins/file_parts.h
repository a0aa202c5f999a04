// FileParts: the bytes of a file, of which only the parts asked for are read. Most of a plugin's file is
// debug information, which is large and never needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "patchbay/result.h"

namespace patchbay::core {

// [any] Views into it live as long as it does.
class FileParts {
 public:
  static Result<FileParts> open(const std::filesystem::path& path);
  // The bytes of a file that is in memory.
  explicit FileParts(std::string whole);
  FileParts(FileParts&&) noexcept;
  FileParts& operator=(FileParts&&) noexcept;
  ~FileParts();

  uint64_t size() const noexcept;
  // Empty when the file does not hold all of it, or cannot be read, or when the parts together would be
  // larger than the file twice.
  std::string_view at(uint64_t offset, uint64_t size) const;

 private:
  struct Impl;
  explicit FileParts(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::core

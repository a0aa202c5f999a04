// One process per database: a second one would write beside the first. The kernel lets go when the process
// dies.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <utility>

namespace patchbay::core {

class LockFile {
 public:
  // Code::conflict when another process (or another Store of this one) holds it.
  static Result<LockFile> take(const std::filesystem::path& path);
  LockFile() = default;
  LockFile(LockFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  LockFile& operator=(LockFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~LockFile();

 private:
  int fd_ = -1;
};

}  // namespace patchbay::core

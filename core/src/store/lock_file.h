// Allows one process per database, because two would each keep its own event ids and job claims. The kernel
// releases the lock when the process dies.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <utility>

namespace patchbay::core {

class LockFile {
 public:
  // Fails with Code::conflict when another process, or another Store of this one, holds it.
  static Result<LockFile> acquire(const std::filesystem::path& path);
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

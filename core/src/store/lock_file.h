// Allows one process per database, because two would each keep its own event ids and job claims. The kernel
// releases the lock when the process dies.
#pragma once

#include <patchbay/descriptor.h>
#include <patchbay/result.h>

#include <filesystem>

namespace patchbay::core {

class LockFile {
 public:
  // Fails with Code::conflict when another process, or another Store of this one, holds it.
  static Result<LockFile> acquire(const std::filesystem::path& path);

 private:
  Descriptor fd_;
};

}  // namespace patchbay::core

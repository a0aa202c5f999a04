#include "store/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

namespace patchbay::core {

Result<LockFile> LockFile::acquire(const std::filesystem::path& path) {
  LockFile lock;
  lock.fd_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.fd_) return {Code::unavailable, "cannot open " + path.string() + ": " + std::strerror(errno)};
  if (::flock(lock.fd_.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK)
    return {Code::conflict, path.string() + " is held: another process uses this database"};
  return {Code::unavailable, "cannot lock " + path.string() + ": " + std::strerror(errno)};
}

}  // namespace patchbay::core

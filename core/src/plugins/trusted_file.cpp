#include "plugins/trusted_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace patchbay::core {
namespace {

namespace fs = std::filesystem;

Status check_one(const fs::path& path, uid_t user) {
  struct stat seen {};
  if (::stat(path.c_str(), &seen) != 0)
    return {Code::not_found, path.string() + " cannot be looked at: " + std::strerror(errno)};
  if (seen.st_uid != 0 && seen.st_uid != user)
    return {Code::denied, path.string() + " belongs to another user (uid " + std::to_string(seen.st_uid) +
                              "), who could change what this server runs; chown it to root or to uid " +
                              std::to_string(user)};
  // In a sticky folder such as /tmp nobody exchanges the files of others.
  const bool sticky_folder = S_ISDIR(seen.st_mode) && (seen.st_mode & S_ISVTX) != 0;
  if ((seen.st_mode & S_IWOTH) != 0 && !sticky_folder)
    return {Code::denied,
            path.string() + " may be written by every user of this machine; chmod o-w " + path.string()};
  return {};
}

}  // namespace

Status check_trusted(const fs::path& file, uid_t user) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error) return {Code::not_found, file.string() + " cannot be looked at: " + error.message()};
  PB_TRY(check_one(real, user));
  PB_TRY(check_one(real.parent_path(), user));
  return check_one(fs::absolute(file, error).parent_path(), user);
}

Status check_trusted(const fs::path& file) { return check_trusted(file, ::geteuid()); }

}  // namespace patchbay::core

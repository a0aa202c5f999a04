#include "plugins/trusted_file.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

namespace patchbay::core {
namespace {

namespace fs = std::filesystem;

// The user id that files from outside a user namespace have inside it: / and /home, for example.
constexpr uid_t kUnmapped = 65534;

// Whether the group has no members but root or `user`: many systems give each user a group of the same name,
// and let it write what that user makes.
bool is_private(gid_t group, uid_t user) {
  if (group == 0) return true;
  std::array<char, 16384> names{}, members{};
  passwd owner{};
  struct group found {};
  passwd* has_owner = nullptr;
  struct group* has_group = nullptr;
  if (::getpwuid_r(user, &owner, names.data(), names.size(), &has_owner) != 0 || has_owner == nullptr ||
      owner.pw_gid != group)
    return false;
  if (::getgrgid_r(group, &found, members.data(), members.size(), &has_group) != 0 || has_group == nullptr)
    return false;
  for (char** member = found.gr_mem; *member != nullptr; ++member)
    if (std::string_view(*member) != owner.pw_name) return false;
  return true;
}

Status check_one(const fs::path& path, uid_t user) {
  struct stat seen {};
  if (::stat(path.c_str(), &seen) != 0)
    return {Code::not_found, path.string() + " cannot be looked at: " + std::strerror(errno)};
  const bool is_outside = S_ISDIR(seen.st_mode) && seen.st_uid == kUnmapped;
  if (seen.st_uid != 0 && seen.st_uid != user && !is_outside)
    return {Code::denied, path.string() + " belongs to another user (uid " + std::to_string(seen.st_uid) +
                              "), who could change what this server runs; chown it to root or to uid " +
                              std::to_string(user)};
  // In a sticky folder such as /tmp a user cannot replace files of others.
  if (S_ISDIR(seen.st_mode) && (seen.st_mode & S_ISVTX) != 0) return {};
  if ((seen.st_mode & S_IWOTH) != 0)
    return {Code::denied,
            path.string() + " may be written by every user of this machine; chmod o-w " + path.string()};
  if ((seen.st_mode & S_IWGRP) != 0 && !is_private(seen.st_gid, user))
    return {Code::denied, path.string() + " may be written by the group " + std::to_string(seen.st_gid) +
                              ", which has other members; chmod g-w " + path.string()};
  return {};
}

// A user with write access to a folder above can replace everything below.
Status check_folders(fs::path folder, uid_t user) {
  for (; folder.has_relative_path(); folder = folder.parent_path()) PB_TRY(check_one(folder, user));
  return check_one("/", user);
}

}  // namespace

Status check_trusted(const fs::path& file, uid_t user) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error) return {Code::not_found, file.string() + " cannot be looked at: " + error.message()};
  PB_TRY(check_one(real, user));
  PB_TRY(check_folders(real.parent_path(), user));
  return check_folders(fs::absolute(file, error).lexically_normal().parent_path(), user);
}

Status check_trusted(const fs::path& file) { return check_trusted(file, ::geteuid()); }

}  // namespace patchbay::core

// Checks that a plugin's file can be changed only by root or by the user that runs the server: its code runs
// with the server's rights, so a user who can write it, or replace it in its folder, has them too.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "patchbay/result.h"

namespace patchbay::core {

// The file and all folders above it (and, of a link, also of what it leads to) belong to root or to `user`,
// and no others may write there, by a group neither. The libraries it is linked to are not looked at. Error:
// "reason; cure".
Status check_trusted(const std::filesystem::path& file, uid_t user);
Status check_trusted(const std::filesystem::path& file);  // of the user that this process runs as

}  // namespace patchbay::core

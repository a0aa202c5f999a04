// Checks that a plugin's file can be changed only by root or by the user that runs the server: its code runs
// with the server's rights, so a user who can write it, or replace it in its folder, has them too.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "patchbay/result.h"

namespace patchbay::core {

// Checks that the file and all folders above it belong to root or to `user`, and that no other user may write
// there, a group's members included; for a link also the file it leads to and the folders above that. Does
// not check the libraries that the file is linked to. Error: "reason; fix".
Status check_trusted(const std::filesystem::path& file, uid_t user);
Status check_trusted(const std::filesystem::path& file);  // of the user that this process runs as

}  // namespace patchbay::core

// Whether a plugin's file can be changed by others than those who run the server. Its code runs with the
// server's rights, so whoever may write it, or exchange it in its folder, has them too.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "patchbay/result.h"

namespace patchbay::core {

// The file and its folder (and, of a link, also those that it leads to) belong to root or to `user`, and not
// all may write there. Error: "reason; cure".
Status check_trusted(const std::filesystem::path& file, uid_t user);
Status check_trusted(const std::filesystem::path& file);  // of the user that this process runs as

}  // namespace patchbay::core

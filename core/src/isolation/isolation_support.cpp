#include "isolation/isolation_support.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace patchbay::core::isolation {
namespace {

constexpr long kCreateRuleset = 444;  // the libc of Debian 12 has no name for it
constexpr unsigned kVersion = 1;

}  // namespace

int landlock_version() noexcept {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

std::string missing_containment() {
  if (landlock_version() > 0) return "";
  return "this kernel has no Landlock: isolated plugins can read what the server can, other plugins' data "
         "and the "
         "sealing key too; use Linux 5.13 or newer with `landlock` among its lsm=";
}

std::string isolation_obstacle(const std::vector<std::string>& provides) {
  const auto has = [&](const char* id) {
    return std::find(provides.begin(), provides.end(), id) != provides.end();
  };
  if (has("patchbay.audio/1"))
    return "it joins the audio ports of other plugins, which a separate process cannot open; remove "
           "`isolation`";
  if (has("patchbay.http/1"))
    return "it opens the admin socket among the server's data, which a separate process does not reach; "
           "remove `isolation`";
  return "";
}

}  // namespace patchbay::core::isolation

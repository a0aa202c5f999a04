#include "serve/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace patchbay::app {
namespace {

constexpr rlim_t kDescriptors = 65'536;  // as the systemd unit of the packages

}  // namespace

void raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kDescriptors) return;
  limit.rlim_cur = std::min(limit.rlim_max, kDescriptors);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace patchbay::app

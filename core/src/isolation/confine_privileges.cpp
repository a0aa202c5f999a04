#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "isolation/confine.h"

namespace patchbay::core::isolation {

Status drop_privileges() {
  const auto failed = [](const char* what) -> Status {
    return {Code::failed, std::string("it could not be confined: ") + what + ": " + std::strerror(errno)};
  };
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no new privileges");
  constexpr uint32_t kKept = 1u << CAP_NET_BIND_SERVICE | 1u << CAP_SYS_NICE;
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    const bool kept = capability < 32 && (kKept >> capability & 1) != 0;
    if (!kept)
      static_cast<void>(::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0));  // EPERM: it has none to drop
  }
  static_cast<void>(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct has[2]{};
  if (::syscall(SYS_capget, &header, has) != 0) return failed("capabilities");
  // Returns early, because a service that runs as a dedicated user has none and may not be allowed to set
  // them.
  if ((has[0].permitted & ~kKept) == 0 && has[1].permitted == 0) return {};
  for (auto& each : has) each.inheritable = 0;
  has[0].permitted &= kKept;
  has[0].effective &= kKept;
  has[1].permitted = has[1].effective = 0;
  return ::syscall(SYS_capset, &header, has) == 0 ? Status() : failed("capabilities");
}

}  // namespace patchbay::core::isolation

#include "srtp/ipsec_mb_functions.h"

#include <mutex>
#include <utility>

#include "library/shared_library.h"

namespace patchbay::lib {
namespace {

Status load_into(IpsecMbFunctions& imb) {
  PB_TRY_VALUE(const SharedLibrary library, SharedLibrary::load("libIPSec_MB.so.1", "libipsec-mb1"));
  PB_TRY(library.find("alloc_mb_mgr", imb.alloc_manager));
  PB_TRY(library.find("free_mb_mgr", imb.free_manager));
  PB_TRY(library.find("init_mb_mgr_auto", imb.init_widest));
  PB_TRY(library.find("init_mb_mgr_sse", imb.init_sse));
  PB_TRY_VALUE(imb.stateless, create_wide_manager(imb));
  return {};
}

Result<IpsecMbFunctions::Manager> checked(IpsecMbFunctions::Manager manager) {
  // Managers of another version may have other members.
  if (!manager || manager->submit_job == nullptr || manager->gcm128_enc == nullptr)
    return Error{Code::unavailable, "libipsec-mb does not support this processor"};
  return manager;
}

}  // namespace

Result<IpsecMbFunctions::Manager> create_wide_manager(const IpsecMbFunctions& imb) {
  IpsecMbFunctions::Manager manager(imb.alloc_manager(0), {imb.free_manager});
  IMB_ARCH arch = IMB_ARCH_NONE;
  if (manager) imb.init_widest(manager.get(), &arch);
  if (arch == IMB_ARCH_NONE) return Error{Code::unavailable, "libipsec-mb does not support this processor"};
  return checked(std::move(manager));
}

Result<IpsecMbFunctions::Manager> create_narrow_manager(const IpsecMbFunctions& imb) {
  // Without AES instructions only the automatic choice finds code that runs.
  if ((imb.stateless->features & IMB_FEATURE_AESNI) == 0) return create_wide_manager(imb);
  IpsecMbFunctions::Manager manager(imb.alloc_manager(0), {imb.free_manager});
  if (manager) imb.init_sse(manager.get());
  return checked(std::move(manager));
}

Result<const IpsecMbFunctions*> load_ipsec_mb() {
  static std::mutex mutex;
  static IpsecMbFunctions imb{};  // guarded by mutex until it is loaded
  const std::lock_guard lock(mutex);
  if (!imb.stateless) PB_TRY(load_into(imb));
  return &imb;
}

}  // namespace patchbay::lib

// The functions of libipsec-mb, which is loaded at the first secure call, because most servers have none.
#pragma once

#include <intel-ipsec-mb.h>
#include <patchbay/result.h>

#include <memory>

namespace patchbay::lib {

struct IpsecMbFunctions {
  decltype(&alloc_mb_mgr) alloc_manager;
  decltype(&free_mb_mgr) free_manager;
  decltype(&init_mb_mgr_auto) init_widest;
  decltype(&init_mb_mgr_sse) init_sse;

  struct Free {
    decltype(&free_mb_mgr) free;
    void operator()(IMB_MGR* manager) const noexcept { free(manager); }
  };
  using Manager = std::unique_ptr<IMB_MGR, Free>;
  // For key set-up and AES-GCM, which keep no state in it. Any thread.
  Manager stateless{nullptr, {nullptr}};
};

// [any, may block] Valid until the process ends. Code::unavailable: libipsec-mb cannot be loaded, or does not
// support the processor.
Result<const IpsecMbFunctions*> load_ipsec_mb();

// A manager of the widest instructions that the processor has, which is fastest for several packets at once,
// and one of narrow instructions, which is fastest for one. Code::unavailable: as above.
Result<IpsecMbFunctions::Manager> create_wide_manager(const IpsecMbFunctions& imb);
Result<IpsecMbFunctions::Manager> create_narrow_manager(const IpsecMbFunctions& imb);

}  // namespace patchbay::lib

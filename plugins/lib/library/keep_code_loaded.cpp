#include "library/keep_code_loaded.h"

#include <dlfcn.h>

namespace patchbay::lib {

void keep_code_loaded() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&keep_code_loaded), &info) == 0) return;
  static_cast<void>(::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE));
}

}  // namespace patchbay::lib

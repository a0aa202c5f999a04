#include "library/shared_library.h"

#include <dlfcn.h>

#include <string>

namespace patchbay::lib {
namespace {

Error unusable(const char* name, const char* package, const char* reason) {
  return {Code::unavailable, std::string(name) + " cannot be used (" + (reason != nullptr ? reason : "?") +
                                 "): install " + package};
}

}  // namespace

Result<SharedLibrary> SharedLibrary::load(const char* name, const char* package) {
  void* handle = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return unusable(name, package, ::dlerror());
  return SharedLibrary(name, package, handle);
}

Result<void*> SharedLibrary::find(const char* function) const {
  void* found = ::dlsym(handle_, function);
  if (found == nullptr) return unusable(name_, package_, ::dlerror());
  return found;
}

}  // namespace patchbay::lib

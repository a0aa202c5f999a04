#include "engine/engine_runner.h"

#include <dlfcn.h>

#include <utility>

namespace patchbay::lib {
namespace {

// Prevents the host from unloading the library that contains this function.
void keep_code_loaded() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&keep_code_loaded), &info) == 0) return;
  static_cast<void>(::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE));
}

}  // namespace

void EngineRunner::stop(Done done) {
  // Shared, because a Function must be copyable and Done is move-only.
  host_->stop([this, done = std::make_shared<Done>(std::move(done))](bool threads_respond) {
    if (threads_respond) return (*done)();
    keep_code_loaded();
    static_cast<void>(io_.release());  // NOLINT(bugprone-unused-return-value)
    (*done)({Code::timeout, "the thread of the AI engine is stuck"});
  });
}

}  // namespace patchbay::lib

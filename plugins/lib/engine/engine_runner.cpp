#include "engine/engine_runner.h"

#include <utility>

#include "library/keep_code_loaded.h"

namespace patchbay::lib {

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

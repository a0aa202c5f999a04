#include "plugin_run/slow_step_notice.h"

#include <cstdio>

#include "terminal_text.h"

namespace patchbay::app {
namespace {

constexpr std::chrono::seconds kLong(2);

}  // namespace

SlowStepNotice::SlowStepNotice(std::string what) : thread_([this, what = std::move(what)] { run(what); }) {}

SlowStepNotice::~SlowStepNotice() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SlowStepNotice::run(const std::string& what) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kLong, [this] { return done_; })) return;
  std::fprintf(stderr, "patchbay: %s\n", harmless(what).c_str());
}

}  // namespace patchbay::app

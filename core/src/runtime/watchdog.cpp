#include "runtime/watchdog.h"

#include <algorithm>
#include <chrono>

#include "runtime/clock.h"

namespace patchbay::core {

Watchdog::Watchdog(const std::vector<std::unique_ptr<ExecutorSlot>>& slots, int64_t limit_ms, ReportFn report,
                   void* user)
    : slots_(slots), report_(report), user_(user), limit_ms_(limit_ms), seen_(slots.size()) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::start() {
  thread_ = std::thread([this] { watch(); });
}

void Watchdog::check(int64_t now_ns) {
  if (sampler_) sampler_(sampler_user_, now_ns);
  for (size_t i = 0; i < slots_.size(); ++i) {
    const uint64_t before = slots_[i]->progress.load(std::memory_order_relaxed);
    const Ref<Strand> strand = slots_[i]->running();
    const uint64_t progress = slots_[i]->progress.load(std::memory_order_relaxed);
    Seen& seen = seen_[i];
    if (!strand || before != progress || seen.progress != progress) {
      seen = {progress, now_ns, false};
      continue;
    }
    const int64_t ms = (now_ns - seen.since_ns) / 1'000'000;
    if (seen.reported || ms < limit_ms_) continue;
    seen.reported = true;
    report_(user_, {*slots_[i], *strand, progress, ms});
  }
}

void Watchdog::watch() {
  const auto step = std::chrono::milliseconds(std::max<int64_t>(limit_ms_ / 8, 1));
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, step, [this] { return stopping_; })) {
    lock.unlock();
    check(system_mono_clock().now_ns());
    lock.lock();
  }
}

}  // namespace patchbay::core

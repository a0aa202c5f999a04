#include "abi/job_worker.h"

#include <patchbay/str.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "abi/limits.h"
#include "runtime/runtime.h"
#include "runtime/thread_kind.h"
#include "store/store.h"

namespace patchbay::core {

JobWorker::JobWorker(Runtime& runtime, Store& store, Ref<Strand> strand, JobWorkerInit init)
    : Registration(std::move(strand)),
      runtime_(runtime),
      store_(store),
      init_(std::move(init)),
      alarm_(runtime.timers(), *this, [](void* self) { static_cast<JobWorker*>(self)->claim(); }) {}

void JobWorker::check_due() {
  const Ref<JobWorker> self(this);
  strand().post([self] { self->claim(); });
}

void JobWorker::job_added(int64_t due_ms) {
  const int64_t now = runtime_.wall_clock().now_ms();
  if (due_ms <= now) return check_due();
  // The alarm reads what is due then, so it finds this job, too.
  if (const int64_t alarm = alarm_due_ms_.load(); alarm > now && alarm <= due_ms) return;
  const Ref<JobWorker> self(this);
  strand().post([self, due_ms] { self->sleep_until(due_ms); });
}

void JobWorker::claims_ended(const std::vector<int64_t>& jobs) {
  size_t ended = 0;
  {
    const std::lock_guard lock(held_mutex_);
    for (const int64_t job : jobs) ended += held_.erase(job);
  }
  if (ended > 0) check_due();
}

JobWorker::Held JobWorker::count_held() {
  const int64_t now = runtime_.wall_clock().now_ms();
  const std::lock_guard lock(held_mutex_);
  std::erase_if(held_, [now](const auto& held) { return held.second <= now; });
  Held held{held_.size(), std::numeric_limits<int64_t>::max()};
  for (const auto& each : held_) held.first_end_ms = std::min(held.first_end_ms, each.second);
  return held;
}

void JobWorker::claim() {
  if (!open()) return;
  alarm_due_ms_ = 0;
  if (claiming_) {
    again_ = true;
    return;
  }
  const Held held = count_held();
  if (held.count >= init_.concurrency) return sleep_until(held.first_end_ms);
  claiming_ = true;
  again_ = false;
  const Ref<JobWorker> self(this);
  store_.claim_jobs(
      init_.kind, static_cast<int64_t>(init_.concurrency - held.count), init_.lease_ms,
      [self](Result<std::vector<Job>> jobs) {
        self->strand().post([self, jobs = std::move(jobs)]() mutable { self->claimed(std::move(jobs)); });
      });
}

void JobWorker::claimed(Result<std::vector<Job>> jobs) {
  claiming_ = false;
  if (!open()) return;
  if (!jobs) return sleep_until(runtime_.wall_clock().now_ms() + kStoreRetryMs);
  {
    const std::lock_guard lock(held_mutex_);
    for (const Job& job : *jobs) held_[job.id] = job.lease_until_ms;
  }
  for (const Job& job : *jobs) {
    if (!open()) return;
    const pb_job raw{sizeof(pb_job),
                     static_cast<uint32_t>(job.tries),
                     job.id,
                     job.fence,
                     job.due_ms,
                     to_abi(job.kind),
                     to_abi(job.tenant),
                     to_abi(job.key),
                     to_abi(job.body)};
    const CallbackScope what("job", job.kind);
    init_.fn(init_.user, &raw);
  }
  if (!jobs->empty() || again_) return claim();
  const Ref<JobWorker> self(this);
  store_.next_due(init_.kind, [self](Result<int64_t> due) {
    const int64_t when = due ? *due : self->runtime_.wall_clock().now_ms() + kStoreRetryMs;
    self->strand().post([self, when] { self->sleep_until(when); });
  });
}

void JobWorker::cancel_timer() {
  const Ref<JobWorker> self(this);
  strand().post([self] { self->alarm_.cancel(); });
}

void JobWorker::sleep_until(int64_t due_ms) {
  if (!open() || due_ms == std::numeric_limits<int64_t>::max()) return;
  const int64_t now = runtime_.wall_clock().now_ms();
  // The alarm is overdue, and setting it again would cancel its task if that is queued behind this one.
  if (const int64_t alarm = alarm_due_ms_; alarm_.is_set() && alarm > 0 && alarm <= now) return claim();
  // Never due earlier than the next millisecond: a claim that finds nothing must not spin.
  const int64_t when = std::clamp(due_ms, now + 1, now + kMaxJobSleepMs);
  if (alarm_.is_set() && alarm_due_ms_ <= when && alarm_due_ms_ > now) return;
  alarm_due_ms_ = when;
  alarm_.set(TimerClock::wall, when);
}

}  // namespace patchbay::core

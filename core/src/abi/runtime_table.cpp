#include <memory>
#include <utility>

#include "abi/boundary_copies.h"
#include "abi/guarded_table.h"
#include "abi/host_context.h"
#include "runtime/runtime.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {
namespace runtime_slots {
namespace {

static_assert(static_cast<uint32_t>(ThreadKind::strand) == PB_THREAD_STRAND);
static_assert(static_cast<uint32_t>(ThreadKind::worker) == PB_THREAD_WORKER);
static_assert(static_cast<uint32_t>(ThreadKind::media) == PB_THREAD_MEDIA);

uint64_t strand_create(void* host, pb_str name) noexcept {
  auto& context = HostContext::of(host);
  return context.handles().strands.add(
      Strand::create(context.services().runtime.executor(), context.id(), copied(name)));
}

int32_t strand_post(void* host, uint64_t handle, pb_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  if (handle == 0) return static_cast<int32_t>(context.main_strand()->post_bounded(fn, user));
  // Pinned, not copied: a copy could become the last reference, and free the strand on a media loop.
  const auto strand = context.handles().strands.pin(handle);
  return strand ? static_cast<int32_t>((*strand)->post_bounded(fn, user)) : PB_E_GONE;
}

int32_t strand_run(void* host, uint64_t handle, pb_fn fn, void* user) noexcept {
  const Ref<Strand> strand = HostContext::of(host).strand(handle);
  return strand ? static_cast<int32_t>(strand->run_bounded(fn, user)) : PB_E_GONE;
}

void strand_close(void* host, uint64_t handle, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  const Ref<Strand> strand = context.handles().strands.take(handle);
  if (!strand) return context.report_unheld_handle("strand_close", handle);
  strand->close(done, user);
}

int32_t strand_is_current(void* host, uint64_t handle) noexcept {
  auto& context = HostContext::of(host);
  if (handle == 0) return context.main_strand()->is_current() ? 1 : 0;
  const auto strand = context.handles().strands.pin(handle);
  return strand && (*strand)->is_current() ? 1 : 0;
}

// A worker job of a plugin; the plugin is not destroyed before the job has ended.
struct WorkerJob {
  HostContext& context;
  pb_fn fn;
  void* user;

  static void run(void* raw) {
    const std::unique_ptr<WorkerJob> job(static_cast<WorkerJob*>(raw));
    {
      const CallbackScope what("worker job");
      job->fn(job->user);
    }
    job->context.wait_ended(HostContext::Awaited::worker);
  }
};

int32_t worker_post(void* host, pb_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  auto job = std::make_unique<WorkerJob>(WorkerJob{context, fn, user});
  context.wait_began(HostContext::Awaited::worker);
  const Status status = context.services().runtime.workers().submit(context.id(), &WorkerJob::run, job.get());
  if (!status) {
    context.wait_ended(HostContext::Awaited::worker);
    return static_cast<int32_t>(status.error().code);
  }
  static_cast<void>(job.release());  // run() owns it
  return PB_OK;
}

uint64_t timer_start(void* host, uint64_t handle, uint32_t clock, int64_t due, pb_fn fn,
                     void* user) noexcept {
  auto& context = HostContext::of(host);
  Ref<Strand> strand = context.strand(handle);
  if (!strand || clock > PB_CLOCK_WALL) return 0;
  const TimerClock which = clock == PB_CLOCK_WALL ? TimerClock::wall : TimerClock::mono;
  // Allocates the handle before the timer can fire.
  const uint64_t timer = next_handle();
  const TimerId id = context.services().runtime.timers().arm(which, due, *strand, fn, user);
  context.handles().timers.put(timer, HeldTimer{id, std::move(strand)});
  return timer;
}

void timer_close(void* host, uint64_t handle, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  const HeldTimer timer = context.handles().timers.take(handle);
  if (!timer) return context.report_unheld_handle("timer_close", handle);
  // Not found: the timer has fired, so there is nothing left to cancel.
  if (context.services().runtime.timers().cancel(timer.id, done, user) || done == nullptr) return;
  if (timer.strand->is_current() || !timer.strand->post(done, user)) done(user);
}

int64_t now(void* host, uint32_t clock) noexcept {
  Runtime& runtime = HostContext::of(host).services().runtime;
  return clock == PB_CLOCK_WALL ? runtime.wall_clock().now_ms() : runtime.mono_clock().now_ns();
}

uint32_t kind_of_thread(void*) noexcept { return static_cast<uint32_t>(thread_kind()); }

pb_str plugin_id(void* host) noexcept { return to_abi(HostContext::of(host).id()); }

constexpr pb_runtime kFunctions{sizeof(pb_runtime), 0,
                                &strand_create,     &strand_post,
                                &strand_close,      &strand_is_current,
                                &worker_post,       &timer_start,
                                &timer_close,       &now,
                                &kind_of_thread,    &plugin_id,
                                &strand_run};
constexpr pb_runtime kTable = guarded<kFunctions>();

}  // namespace
}  // namespace runtime_slots

const pb_runtime& runtime_table() noexcept { return runtime_slots::kTable; }

}  // namespace patchbay::core

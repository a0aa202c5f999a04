#include "runtime/media_pool.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "runtime/thread_kind.h"

namespace patchbay::core {
namespace {

void ask_for_priority() {
  sched_param priority{};
  priority.sched_priority = 10;
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0) return;
  setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), -11);
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
}

// Of a loop with a manual clock: after so many runs one by one it leaves what is still ready for the next
// pump.
constexpr int kMaxManualRuns = 1'000;

}  // namespace

struct MediaPool::Driver {
  Driver(const MediaOptions& options, uint32_t index)
      : loop(options.manual_clock != nullptr ? *options.manual_clock : system_mono_clock(), index),
        is_manual(options.manual_clock != nullptr) {
    sem_init(&wake, 0, 0);
    sem_init(&ended, 0, 0);
    sem_init(&pumped, 0, 0);
    loop.on_command([](void* self) { static_cast<Driver*>(self)->wake_up(); }, this);
    thread = std::thread([this, realtime = options.realtime] { run(realtime); });
  }

  ~Driver() {
    sem_destroy(&pumped);
    sem_destroy(&ended);
    sem_destroy(&wake);
  }

  // False: the tick hangs, so nothing of this object may be freed.
  bool stop(std::chrono::milliseconds timeout) {
    if (!thread.joinable()) return true;
    stopping = true;
    is_manual ? wake_up() : loop.interrupt();
    if (!wait_ended(timeout)) {
      thread.detach();
      return false;
    }
    thread.join();
    loop.stop();
    return true;
  }

  bool wait_ended(std::chrono::milliseconds timeout) {
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    const int64_t ns = until.tv_nsec + timeout.count() * 1'000'000;
    until.tv_sec += time_t(ns / 1'000'000'000);
    until.tv_nsec = long(ns % 1'000'000'000);
    int result = 0;
    while ((result = sem_clockwait(&ended, CLOCK_MONOTONIC, &until)) != 0 && errno == EINTR) {
    }
    return result == 0;
  }

  void wake_up() noexcept {
    if (is_manual)
      sem_post(&wake);
    else
      loop.wake();
  }

  void pump(CallFn fn, void* user) {
    pump_fn = fn;
    pump_user = user;
    pumping.store(true, std::memory_order_release);
    wake_up();
    wait(pumped);
  }

  void run(bool realtime) {
    pthread_setname_np(pthread_self(), "pb-media");
    thread_state.kind = ThreadKind::media;
    loop.set_driver_thread(thread_state);
    if (realtime && !is_manual) ask_for_priority();
    while (!stopping && is_manual) turn();
    while (!stopping) {
      if (!loop.is_ticking()) loop.resume();
      loop.run_and_wait();
    }
    sem_post(&ended);
  }

  // One wake-up of a loop that a manual clock drives.
  void turn() {
    wait(wake);
    for (int run = 0; run == 0 || (loop.was_busy() && run < kMaxManualRuns); ++run) {
      if (!loop.is_ticking()) loop.resume();
      loop.run_due();
    }
    const bool is_pumped = pumping.exchange(false, std::memory_order_acq_rel);
    if (is_pumped && pump_fn != nullptr) loop.run_now(pump_fn, pump_user);
    due_ns.store(loop.next_due_ns(), std::memory_order_release);
    if (is_pumped) sem_post(&pumped);
  }

  static void wait(sem_t& semaphore) {
    while (sem_wait(&semaphore) != 0 && errno == EINTR) {
    }
  }

  MediaLoop loop;
  const bool is_manual;
  std::atomic<bool> stopping{false};
  sem_t wake;               // with a manual clock
  sem_t ended;              // posted by the thread just before it exits
  int64_t reported_ns = 0;  // [watchdog] start of the tick that was reported last
  bool leaked = false;      // its thread hangs in a tick
  // of pump()
  sem_t pumped;
  std::atomic<bool> pumping{false};
  std::atomic<int64_t> due_ns{INT64_MAX};
  CallFn pump_fn = nullptr;
  void* pump_user = nullptr;
  std::thread thread;
};

MediaPool::MediaPool(const MediaOptions& options) : options_(options) {
  prepare_call_pool();
  const unsigned wanted = options.manual_clock != nullptr ? 1 : options.loops;
  const unsigned count = wanted ? wanted : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) drivers_.push_back(std::make_unique<Driver>(options, i));
}

MediaPool::~MediaPool() {
  stop();
  for (auto& driver : drivers_) {
    if (driver->leaked) static_cast<void>(driver.release());  // NOLINT(bugprone-unused-return-value)
  }
}

void MediaPool::stop(std::chrono::milliseconds timeout) {
  for (auto& driver : drivers_) {
    if (driver->leaked || driver->stop(timeout)) continue;
    driver->leaked = true;
    // Keeps the driver reachable, as its thread still uses it.
    static auto* const leaked = new std::vector<Driver*>;
    leaked->push_back(driver.get());
  }
}

void MediaPool::check(int64_t now_ns) {
  int stalled = 0;
  for (size_t i = 0; i < drivers_.size(); ++i) {
    Driver& driver = *drivers_[i];
    if (driver.is_manual) continue;  // now_ns is real time
    const MediaLoop::Now now = driver.loop.now();
    const int64_t ms = now.since_ns == 0 ? 0 : (now_ns - now.since_ns) / 1'000'000;
    if (ms < options_.stall_ms) continue;
    ++stalled;
    if (std::exchange(driver.reported_ns, now.since_ns) == now.since_ns) continue;
    stalls_.fetch_add(1, std::memory_order_relaxed);
    const std::string loop = "media loop " + std::to_string(i);
    if (options_.on_stall)
      options_.on_stall(options_.stall_user, {now.owner != nullptr ? now.owner : "", loop, ms});
  }
  stalled_.store(stalled, std::memory_order_relaxed);
}

void MediaPool::pump(CallFn fn, void* user) { drivers_.front()->pump(fn, user); }

int64_t MediaPool::next_due_ns() const noexcept {
  return drivers_.front()->due_ns.load(std::memory_order_acquire);
}

bool MediaPool::can_wait() const noexcept {
  return std::all_of(drivers_.begin(), drivers_.end(),
                     [](const auto& driver) { return driver->loop.can_wait(); });
}

MediaLoop& MediaPool::at(size_t index) noexcept { return drivers_.at(index)->loop; }

MediaLoop& MediaPool::least_loaded() noexcept {
  const auto load = [](const std::unique_ptr<Driver>& driver) {
    return std::make_tuple(driver->loop.attached(), driver->loop.stats().busy_ns);
  };
  return (*std::min_element(drivers_.begin(), drivers_.end(),
                            [&](const auto& a, const auto& b) { return load(a) < load(b); }))
      ->loop;
}

}  // namespace patchbay::core

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
#include <thread>
#include <tuple>

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

void sleep_until(int64_t deadline_ns) {
  const timespec until{time_t(deadline_ns / 1'000'000'000), long(deadline_ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace

struct MediaPool::Driver {
  explicit Driver(bool realtime) : loop(system_mono_clock()) {
    sem_init(&wake, 0, 0);
    loop.on_command([](void* self) { static_cast<Driver*>(self)->call(); }, this);
    thread = std::thread([this, realtime] { run(realtime); });
  }

  ~Driver() {
    stop();
    sem_destroy(&wake);
  }

  void stop() {
    if (!thread.joinable()) return;
    stopping = true;
    call();
    thread.join();
    loop.stop();
  }

  void call() noexcept {
    if (asleep.exchange(false)) sem_post(&wake);
  }

  void run(bool realtime) {
    pthread_setname_np(pthread_self(), "pb-media");
    thread_state.kind = ThreadKind::media;
    if (realtime) ask_for_priority();
    while (!stopping) {
      if (loop.empty()) {
        rest();
        loop.resume();
      }
      sleep_until(loop.run_due());
    }
  }

  // Sleeps until called. A command that came just before is seen by the second look.
  void rest() {
    asleep = true;
    if ((!loop.empty() || stopping) && asleep.exchange(false)) return;
    while (sem_wait(&wake) != 0 && errno == EINTR) {
    }
  }

  MediaLoop loop;
  std::atomic<bool> stopping{false};
  std::atomic<bool> asleep{false};
  sem_t wake;
  std::thread thread;
};

MediaPool::MediaPool(const MediaOptions& options) {
  prepare_call_pool();
  const unsigned count = options.loops ? options.loops : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < count; ++i) drivers_.push_back(std::make_unique<Driver>(options.realtime));
}

MediaPool::~MediaPool() = default;

void MediaPool::stop() {
  for (auto& driver : drivers_) driver->stop();
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

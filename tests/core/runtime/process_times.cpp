#include "runtime/process_times.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

using patchbay::core::ProcessTimes;

namespace {

constexpr int64_t kUsedNs = 50'000'000;

int64_t own_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// What others than this process have used, at least.
int64_t of_children(ProcessTimes& times) {
  const int64_t all_ns = times.used_ns();
  return all_ns - own_ns();
}

// Starts a child that works until it is killed.
pid_t start_worker() {
  const pid_t pid = fork();
  while (pid == 0) {
  }
  return pid;
}

bool works(ProcessTimes& times, int64_t ns) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (of_children(times) < ns && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return of_children(times) >= ns;
}

void end(ProcessTimes& times, pid_t pid) {
  kill(pid, SIGKILL);
  siginfo_t exited{};
  CHECK(waitid(P_PID, static_cast<id_t>(pid), &exited, WEXITED | WNOWAIT) == 0);
  times.ended(pid);
  CHECK(waitpid(pid, nullptr, 0) == pid);
}

}  // namespace

TEST_CASE("the time of a child counts while it runs and after it has ended") {
  ProcessTimes times;
  const pid_t first = start_worker();
  REQUIRE(first > 0);
  times.started(first);
  CHECK(works(times, kUsedNs));
  end(times, first);
  CHECK(of_children(times) > kUsedNs - 20'000'000);  // less what this process has used between two readings
  const pid_t second = start_worker();
  times.started(second);
  CHECK(works(times, 2 * kUsedNs));
  end(times, second);
}

TEST_CASE("the sum never falls, and a child that is gone unnoticed keeps its last reading") {
  ProcessTimes times;
  const pid_t pid = start_worker();
  REQUIRE(pid > 0);
  times.started(pid);
  CHECK(works(times, kUsedNs));
  const int64_t before_ns = times.used_ns();
  kill(pid, SIGKILL);
  CHECK(waitpid(pid, nullptr, 0) == pid);
  CHECK(times.used_ns() >= before_ns);
  times.ended(pid);
  times.ended(pid);
  CHECK(times.used_ns() >= before_ns);
}

#include "websocket/io_thread.h"

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <openssl/rand.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "websocket/io_thread_impl.h"

using namespace patchbay::lib;
using namespace std::chrono_literals;

namespace {

constexpr auto kPatience = 30s;

template <class F>
bool eventually(F condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

}  // namespace

TEST_CASE("a thread that hangs in a task is detected, and so is its recovery") {
  IoThread io;
  IoWatch watch(io);
  watch.sample();
  CHECK(eventually([&] { return watch.sample().waiting_ms == 0; }));
  std::promise<void> end;
  io.post([wait = end.get_future().share()] { wait.wait(); });
  CHECK(eventually([&] { return watch.sample().waiting_ms > 50; }));
  end.set_value();
  io.drain();
  CHECK(eventually([&] {
    const IoWatch::Sample sample = watch.sample();
    return sample.waiting_ms == 0 && sample.lag_ms >= 50;
  }));
}

TEST_CASE("the watch may be destroyed while its task is pending") {
  IoThread io;
  std::promise<void> end;
  io.post([wait = end.get_future().share()] { wait.wait(); });
  {
    IoWatch watch(io);
    watch.sample();
  }
  end.set_value();
  io.drain();
}

TEST_CASE("a callback that throws is called at the next signal, and does not block the end of its signal") {
  IoThread io;
  std::atomic<int> calls{0}, others{0};
  {
    IoSignal failing(io, [&] {
      ++calls;
      throw std::bad_alloc();
    });
    IoSignal other(io, [&] { ++others; });
    for (int i = 1; i <= 3; ++i) {
      failing.notify();
      other.notify();
      CHECK(eventually([&] { return calls == i && others == i; }));
    }
  }
  io.drain();
}

TEST_CASE("no callback of a signal runs after its end, whether it was notified or not") {
  IoThread io;
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> ended{false};
    auto signal = std::make_unique<IoSignal>(io, [&] { CHECK_FALSE(ended.load()); });
    std::thread media([&] {
      for (int n = 0; n < i % 5; ++n) signal->notify();
    });
    media.join();
    signal.reset();
    ended = true;
    if (i % 50 == 0) io.drain();
  }
  io.drain();
}

TEST_CASE("a signal may end in its own callback") {
  IoThread io;
  std::promise<void> ended;
  std::unique_ptr<IoSignal> signal;
  signal = std::make_unique<IoSignal>(io, [&] {
    signal.reset();
    ended.set_value();
  });
  signal->notify();
  CHECK(ended.get_future().wait_for(kPatience) == std::future_status::ready);
}

TEST_CASE("signals of many objects reach their callbacks while tasks run") {
  constexpr size_t kSignals = 50;
  IoThread io;
  std::vector<std::atomic<int>> calls(kSignals);
  std::vector<std::unique_ptr<IoSignal>> signals;
  for (size_t i = 0; i < kSignals; ++i)
    signals.push_back(std::make_unique<IoSignal>(io, [&, i] { ++calls[i]; }));
  for (int round = 1; round <= 20; ++round) {
    for (auto& signal : signals) signal->notify();
    io.drain();
    CHECK(eventually([&] {
      return std::all_of(calls.begin(), calls.end(), [&](const auto& count) { return count >= round; });
    }));
  }
}

TEST_CASE("frames are masked also where getrandom() is forbidden") {
  IoThread io;
  std::promise<std::set<uint32_t>> made;
  io.post([&] {
    // Seeds the generator of this thread, as a TLS handshake does.
    unsigned char byte = 0;
    CHECK(RAND_bytes(&byte, 1) == 1);
    // For this thread only.
    sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{4, code};
    CHECK(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    std::set<uint32_t> keys;
    for (int i = 0; i < 100; ++i) keys.insert(io.impl().mask_key());
    made.set_value(keys);
  });
  auto keys = made.get_future();
  REQUIRE(keys.wait_for(std::chrono::seconds(40)) == std::future_status::ready);
  CHECK(keys.get().size() > 90);
}

#include "websocket/io_thread.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <thread>

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

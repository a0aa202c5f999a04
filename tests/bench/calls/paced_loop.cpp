#include "bench/calls/paced_loop.h"

#include <time.h>

#include <chrono>
#include <thread>

#include "bench/calls/loop_call.h"
#include "bench/calls/pacer.h"
#include "bench/pairs.h"

namespace patchbay::bench {
namespace {

constexpr double kWarmUpSeconds = 0.5;

double thread_cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

}  // namespace

PacedLoop::PacedLoop(LoopWork work, int calls, int engine_port, uint16_t telephones_port) {
  const LoopPeers peers{::SSL_CTX_new(TLS_client_method()), static_cast<uint16_t>(engine_port),
                        telephones_port};
  for (size_t i = 0; i < static_cast<size_t>(calls); ++i)
    calls_.push_back(work == LoopWork::convert ? make_bare_call(i, peers) : make_socket_call(i, peers));
  ::SSL_CTX_free(peers.context);
}

PacedLoop::~PacedLoop() = default;

std::vector<uint16_t> PacedLoop::ports() const {
  std::vector<uint16_t> list;
  for (const auto& call : calls_) list.push_back(call->port());
  return list;
}

PacedLoop::Cost PacedLoop::run(double seconds) {
  Cost cost;
  std::thread thread([&] {
    auto due = std::chrono::steady_clock::now();
    const double begin = seconds_now();
    bool measuring = false;
    while (seconds_now() < begin + kWarmUpSeconds + seconds) {
      due += std::chrono::milliseconds(kFrameMs);
      std::this_thread::sleep_until(due);
      if (!measuring && seconds_now() >= begin + kWarmUpSeconds) {
        measuring = true;
        cost = {-thread_cpu_ns(), 0};
      }
      for (auto& call : calls_) cost.frames += call->carry();
    }
    cost.cpu_ns += thread_cpu_ns();
  });
  thread.join();
  return cost;
}

}  // namespace patchbay::bench

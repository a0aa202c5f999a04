// Twenty concurrent calls, each with a telephone (G.711) and an engine (TLS): the processor time of a whole
// server for 20 ms of one call, compared with a bare loop of the same work and with its sockets and TLS
// alone; then the delay of the audio, both ways.
#include <csignal>
#include <cstdio>
#include <cstring>

#include "bench/calls/call_setup.h"
#include "bench/calls/delays.h"
#include "bench/calls/paced_loop.h"
#include "bench/calls/server.h"
#include "bench/pairs.h"

using namespace patchbay;
using namespace patchbay::bench;
using namespace std::chrono_literals;

namespace {

constexpr int kCalls = 20;
constexpr double kServerSeconds = 5, kLoopSeconds = 3;
constexpr int kBursts = 16, kWarmUpBursts = 2;

double cpu_ns_per_frame(CallSetup& setup) {
  setup.voice.stream(Voice::Stream::tone);
  std::this_thread::sleep_for(500ms);
  const uint64_t frames_before = setup.frames();
  const double cpu_before = setup.server().cpu_ns();
  std::this_thread::sleep_for(std::chrono::duration<double>(kServerSeconds));
  const double cpu = setup.server().cpu_ns() - cpu_before;
  const uint64_t carried = setup.frames() - frames_before;
  setup.voice.stream(Voice::Stream::none);
  const double due = kCalls * kServerSeconds * 1000 / kFrameMs;
  if (double(carried) < 0.9 * due)
    std::printf("too busy: %.0f of %.0f frames came through\n", double(carried), due);
  return cpu / double(std::max<uint64_t>(carried, 1));
}

void print(const char* way, const Delays& delays, int bursts) {
  const auto [added, least, all] = delays.summary();
  if (added.empty()) return void(std::printf("%-18s nothing came through\n", way));
  std::printf("%-18s %9.2f %9.2f %9.2f   %7.1f to %-7.1f %7.1f %7.1f   %zu of %d\n", way,
              at_percentile(added, 0.5), at_percentile(added, 0.99), added.back(), least.front(),
              least.back(), at_percentile(all, 0.5), at_percentile(all, 0.99), all.size(), bursts * kCalls);
}

void measure_latency(CallSetup& setup) {
  Delays up(kCalls), down(kCalls);
  std::this_thread::sleep_for(3s);  // the last answer plays out, and its turn ends
  for (int burst = 0; burst < kBursts; ++burst) {
    setup.telephones.listen();
    setup.voice.listen();
    setup.telephones.speak();
    std::this_thread::sleep_for(500ms);
    setup.voice.speak();
    std::this_thread::sleep_for(700ms);
    for (int call = 0; burst >= kWarmUpBursts && call < kCalls; ++call) {
      up.add(call, setup.telephones.spoke_ns(call), setup.voice.heard_ns(call));
      down.add(call, setup.voice.spoke_ns(call), setup.telephones.heard_ns(call));
    }
  }
  constexpr int kCounted = kBursts - kWarmUpBursts;
  std::printf("latency of a burst (ms), %d calls\n%-18s %9s %9s %9s   %-18s %7s %7s   %s\n", kCalls, "",
              "added p50", "p99", "most", "each call's least", "all p50", "p99", "bursts");
  print("caller to engine", up, kCounted);
  print("engine to caller", down, kCounted);
}

// A paced loop, with its own telephones and engine.
class LoopSetup {
 public:
  explicit LoopSetup(LoopWork work) : loop_(work, kCalls, voice_.port(), telephones_.port()) {
    telephones_.pause(true);
    telephones_.connect(loop_.ports());
  }

  double cpu_ns_per_frame() {
    telephones_.pause(false);
    voice_.stream(Voice::Stream::tone);
    const PacedLoop::Cost cost = loop_.run(kLoopSeconds);
    voice_.stream(Voice::Stream::none);
    telephones_.pause(true);
    return cost.cpu_ns / double(std::max<uint64_t>(cost.frames, 1));
  }

 private:
  Voice voice_{kCalls};
  Telephones telephones_{kCalls};
  PacedLoop loop_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--server") == 0) return serve(argv[2], argv[3], argv[4]);
  std::signal(SIGPIPE, SIG_IGN);
  CallSetup setup(kCalls);
  if (const Status made = setup.make_calls(kCalls); !made) die(made.error().text + setup.server().log());
  LoopSetup bare(LoopWork::convert), sockets(LoopWork::none);
  run_pairs("20 calls with an engine over TLS", "ns of processor time per call and 20 ms",
            Side{"server", [&] { return cpu_ns_per_frame(setup); }},
            Side{"bare loop", [&] { return bare.cpu_ns_per_frame(); }},
            Side{"sockets and TLS", [&] { return sockets.cpu_ns_per_frame(); }});
  measure_latency(setup);
}

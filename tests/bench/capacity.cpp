// How many AI calls one core and two cores carry until 1 % of the sounds are delayed by more than 5 ms, and
// what the server does beyond that.
//
//   bench-capacity [CORES]...   default: 1 2
#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "bench/calls/call_setup.h"
#include "bench/calls/delays.h"
#include "bench/calls/server.h"
#include "bench/pairs.h"

using namespace patchbay;
using namespace patchbay::bench;
using namespace std::chrono_literals;

namespace {

constexpr double kMaxAddedMs = 5;
constexpr int kStepsBeyond = 2;  // steps measured beyond the limit
constexpr int kBursts = 12;
constexpr auto kSettle = 5s;  // the greetings of new calls have ended, and their buffers are constant

constexpr int kMaxLoadPercent = 90;  // the default of ai-voice

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// The cores of the machine, the first `server_cores` of which the server gets. Its peers get the others, or
// all if there are none.
class Cores {
 public:
  explicit Cores(int server_cores) : server_cores_(server_cores) {
    ::sched_getaffinity(0, sizeof all_, &all_);
    cpu_set_t peers = all_;
    for (int core = 0, left = server_cores; core < CPU_SETSIZE && left > 0; ++core) {
      if (!CPU_ISSET(core, &all_)) continue;
      list_ += (list_.empty() ? "" : ",") + std::to_string(core);
      CPU_CLR(core, &peers);
      --left;
    }
    is_shared_ = CPU_COUNT(&peers) == 0;
    if (!is_shared_) ::sched_setaffinity(0, sizeof peers, &peers);
  }
  ~Cores() { ::sched_setaffinity(0, sizeof all_, &all_); }
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  std::vector<std::string> pin_server() const { return {"taskset", "-c", list_}; }
  bool is_shared() const { return is_shared_; }
  int server_cores() const { return server_cores_; }
  bool enough() const { return CPU_COUNT(&all_) >= server_cores_; }

 private:
  const int server_cores_;
  cpu_set_t all_{};
  std::string list_;
  bool is_shared_ = false;
};

struct Step {
  int calls = 0;
  Delays::Summary up, down;
  double server_cores = 0, peer_cores = 0;  // processor time per second
  double us_per_frame = 0;                  // of the server
  double carried = 0;                       // share of the due frames
  double late_ticks = 0, skipped_ticks = 0, dropped_ms = 0;

  double added_ms() const { return std::max(at_percentile(up.added, 0.99), at_percentile(down.added, 0.99)); }
  bool beyond() const { return added_ms() > kMaxAddedMs || carried < 0.99; }
};

struct Counters {
  explicit Counters(ServerProcess& server)
      : late(server.metric("patchbay_media_ticks_late_total")),
        skipped(server.metric("patchbay_media_ticks_skipped_total")),
        dropped_ms(server.metric("patchbay_engine_audio_dropped_ms_total")) {}
  double late, skipped, dropped_ms;
};

// Sends bursts both ways within soft tones, so that the load does not change meanwhile.
Step measure(CallSetup& setup) {
  Step step;
  step.calls = setup.calls();
  const Counters counters_before(setup.server());
  const double server_before = setup.server().cpu_ns(), peers_before = cpu_seconds_now(),
               begin = seconds_now();
  const uint64_t frames_before = setup.frames();
  Delays up(step.calls), down(step.calls);
  for (int burst = 0; burst < kBursts; ++burst) {
    setup.telephones.listen();
    setup.voice.listen();
    setup.telephones.speak();
    setup.voice.mark();
    std::this_thread::sleep_for(500ms);
    for (int call = 0; call < step.calls; ++call) {
      up.add(call, setup.telephones.spoke_ns(call), setup.voice.heard_ns(call));
      down.add(call, setup.voice.spoke_ns(call), setup.telephones.heard_ns(call));
    }
  }
  const double seconds = seconds_now() - begin;
  const double server_ns = setup.server().cpu_ns() - server_before;
  const auto frames = double(setup.frames() - frames_before);
  step.server_cores = server_ns / 1e9 / seconds;
  step.peer_cores = (cpu_seconds_now() - peers_before) / seconds;
  step.us_per_frame = server_ns / 1000 / std::max(frames, 1.0);
  step.carried = frames / (step.calls * seconds * 1000 / kFrameMs);
  step.up = up.summary();
  step.down = down.summary();
  const Counters counters(setup.server());
  step.late_ticks = counters.late - counters_before.late;
  step.skipped_ticks = counters.skipped - counters_before.skipped;
  step.dropped_ms = counters.dropped_ms - counters_before.dropped_ms;
  return step;
}

void print_head() {
  std::printf("%6s  %15s  %15s  %8s  %8s  %8s  %7s  %6s  %8s  %10s\n", "calls", "added up", "added down",
              "carried", "server", "us/frame", "peers", "late", "skipped", "dropped ms");
}

void print(const Step& step) {
  const auto ms = [](const Delays::Summary& of, double share) { return at_percentile(of.added, share); };
  std::printf("%6d  %6.2f %8.2f  %6.2f %8.2f  %7.1f%%  %8.2f  %8.1f  %7.2f  %6.0f  %8.0f  %10.0f\n",
              step.calls, ms(step.up, 0.5), ms(step.up, 0.99), ms(step.down, 0.5), ms(step.down, 0.99),
              step.carried * 100, step.server_cores, step.us_per_frame, step.peer_cores, step.late_ticks,
              step.skipped_ticks, step.dropped_ms);
  std::fflush(stdout);
}

Step measure_and_print(CallSetup& setup) {
  Step step = measure(setup);
  print(step);
  return step;
}

// A step is beyond the limit if two of up to three measurements are, because a moment of another program may
// be in one.
Step measure_step(CallSetup& setup) {
  Step first = measure_and_print(setup);
  if (!first.beyond()) return first;
  Step second = measure_and_print(setup);
  return second.beyond() ? second : measure_and_print(setup);
}

// Adds calls until one step is beyond the limit and further ones were measured, while the server accepts all.
// Returns the last step that it carried.
std::optional<Step> find_limit(const Cores& cores, int step_calls, int max_calls) {
  CallSetup setup(max_calls, cores.pin_server());
  setup.voice.stream(Voice::Stream::soft);
  std::optional<Step> carried;
  int beyond = 0;
  for (int calls = step_calls; calls <= max_calls && beyond <= kStepsBeyond; calls += step_calls) {
    if (const Status made = setup.make_calls(calls); !made) {
      std::printf("%6d  %s\n", calls, made.error().text.c_str());
      break;
    }
    std::this_thread::sleep_for(kSettle);
    const Step step = beyond == 0 ? measure_step(setup) : measure_and_print(setup);
    beyond += step.beyond() || beyond > 0 ? 1 : 0;
    if (beyond == 0) carried = step;
  }
  return carried;
}

// What a server does that refuses calls, as it does by default.
void show_refusals(const Cores& cores, int max_calls) {
  CallSetup setup(max_calls, cores.pin_server(), kMaxLoadPercent);
  setup.voice.stream(Voice::Stream::soft);
  std::printf("with maxLoadPercent: %d\n", kMaxLoadPercent);
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (const Status made = setup.make_calls(max_calls); !made)
      return void(std::printf("%s\n", made.error().text.c_str()));
    std::this_thread::sleep_for(kSettle);
    print(measure(setup));
  }
  std::printf("calls refused: %.0f; %s\n", setup.server().metric("patchbay_ai_voice_limited_total"),
              setup.refusal().empty() ? "none" : setup.refusal().c_str());
}

void run(int server_cores, int step_calls, int max_calls) {
  const Cores cores(server_cores);
  if (!cores.enough()) return void(std::printf("this machine has fewer than %d cores\n", server_cores));
  std::printf("\nserver on %d core%s, telephones and engine on %s\n", server_cores,
              server_cores > 1 ? "s" : "", cores.is_shared() ? "the same" : "the others");
  print_head();
  const auto carried = find_limit(cores, step_calls, max_calls);
  if (!carried) return void(std::printf("not even %d calls are carried\n", step_calls));
  // Peers on the same cores reach their limit first, so the server would refuse nothing.
  if (!cores.is_shared()) show_refusals(cores, max_calls);
  std::printf(
      "%d core%s: %d calls, added p99 %.2f ms; of the cores, server %.2f and peers %.2f; a core of the "
      "server alone carries %.0f\n",
      server_cores, server_cores > 1 ? "s" : "", carried->calls, carried->added_ms(), carried->server_cores,
      carried->peer_cores, carried->calls / carried->server_cores);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--server") == 0) return serve(argv[2], argv[3], argv[4]);
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<int> cores;
  for (int i = 1; i < argc; ++i) cores.push_back(std::atoi(argv[i]));
  if (cores.empty()) cores = {1, 2};
  std::printf("AI calls with an engine over TLS; delays in ms (p50, p99), a frame is 20 ms of a call\n");
  for (const int each : cores)
    run(each, from_environment("BENCH_STEP", 50), from_environment("BENCH_MAX_CALLS", 1500));
}

// Twenty concurrent calls, each with a telephone (G.711) and an engine (TLS): the processor time of a whole
// server for 20 ms of one call, compared with a bare loop of the same work; then the delay of the audio
// beyond the designed one, both ways.
#include <time.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "bench/calls/bare_loop.h"
#include "bench/calls/server.h"
#include "bench/calls/telephones.h"
#include "bench/calls/voice.h"
#include "bench/pairs.h"
#include "support/child_process.h"
#include "support/sipp_peer.h"

using namespace patchbay;
using namespace patchbay::bench;
using namespace std::chrono_literals;

namespace {

constexpr double kServerSeconds = 5, kBareLoopSeconds = 3;
constexpr int kBursts = 16, kWarmUpBursts = 2;

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

template <class Done>
void wait_until(const char* what, Done done) {
  for (int i = 0; i < 3000; ++i, std::this_thread::sleep_for(10ms))
    if (done()) return;
  die(std::string("waited 30 s until ") + what);
}

// The server, its telephones and its engine.
class Setup {
 public:
  Setup();

  double cpu_ns_per_frame();
  void measure_latency();

  Voice voice;
  Telephones telephones;

 private:
  std::vector<uint16_t> offered_ports() const;
  double cpu_ns() const;
  uint64_t frames() const { return std::min(voice.received(), telephones.received()); }

  test::TempFolder folder_;
  std::optional<test::Sipp> sipp_;
  std::optional<test::Child> server_;
  clockid_t clock_ = 0;
};

Setup::Setup() {
  test::Sipp::Options options;
  options.scenario = BENCH_PHONE_SCENARIO;
  options.calls = kCalls;
  options.limit_sec = 3600;
  options.values = {{"rtp_port", std::to_string(telephones.port())}};
  auto sipp = test::Sipp::start(options);
  if (!sipp) die(sipp.error().text);
  sipp_ = *std::move(sipp);
  const std::string config = folder_.file("patchbay.yaml"), output = folder_.file("output");
  std::ofstream(config) << server_config(sipp_->port(), voice.url(), voice.ca_file());
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  auto server = test::Child::spawn({self, "--server", config, folder_.file("log")}, folder_.path(), output);
  if (!server) die(server.error().text);
  server_ = *std::move(server);
  wait_until("the server has made its calls", [&] {
    const std::string said = test::read_text(output);
    if (said.find("refused") != std::string::npos) die(said + test::read_text(folder_.file("log")));
    const size_t at = said.find("ready ");
    if (at == std::string::npos) return false;
    return ::clock_getcpuclockid(std::atoi(said.c_str() + at + 6), &clock_) == 0;
  });
  wait_until("all telephones ring", [&] { return offered_ports().size() == kCalls; });
  telephones.connect(offered_ports());
  wait_until("the engine hears all callers", [&] { return voice.connected() == kCalls; });
}

// The server's RTP ports, by call, from SIPp's log of the INVITEs.
std::vector<uint16_t> Setup::offered_ports() const {
  const std::string log = sipp_->messages();
  std::vector<uint16_t> ports;
  for (int call = 0; call < kCalls; ++call) {
    const size_t invite = log.find("INVITE sip:" + phone_of(call));
    const size_t audio = log.find("m=audio ", invite);
    if (invite == std::string::npos || audio == std::string::npos) return {};
    ports.push_back(static_cast<uint16_t>(std::atoi(log.c_str() + audio + 8)));
  }
  return ports;
}

double Setup::cpu_ns() const {
  timespec now{};
  if (::clock_gettime(clock_, &now) != 0)
    die("the server has ended: " + test::read_text(folder_.file("log")));
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

double Setup::cpu_ns_per_frame() {
  voice.stream(true);
  std::this_thread::sleep_for(500ms);
  const uint64_t frames_before = frames();
  const double cpu_before = cpu_ns();
  std::this_thread::sleep_for(std::chrono::duration<double>(kServerSeconds));
  const double cpu = cpu_ns() - cpu_before;
  const uint64_t carried = frames() - frames_before;
  voice.stream(false);
  const double due = kCalls * kServerSeconds * 1000 / kFrameMs;
  if (double(carried) < 0.9 * due)
    std::printf("too busy: %.0f of %.0f frames came through\n", double(carried), due);
  return cpu / double(std::max<uint64_t>(carried, 1));
}

double at_percentile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * double(sorted.size() - 1) + 0.5)];
}

using Samples = std::array<std::vector<double>, kCalls>;  // ms, by call

// The minimum delay of a call results from its buffers and the phase of its tick, and is constant. Delay
// beyond it was added by the server (and this machine).
void print(const char* way, const char* design, const Samples& samples, int bursts) {
  std::vector<double> added, least, all;
  for (const auto& of_call : samples) {
    if (of_call.empty()) continue;
    const double quickest = *std::min_element(of_call.begin(), of_call.end());
    least.push_back(quickest);
    for (const double each : of_call) {
      added.push_back(each - quickest);
      all.push_back(each);
    }
  }
  if (added.empty()) return void(std::printf("%-18s nothing came through\n", way));
  for (auto* list : {&added, &least, &all}) std::sort(list->begin(), list->end());
  std::printf("%-18s %9.2f %9.2f %9.2f   %7.1f to %-7.1f %-10s %7.1f %7.1f   %zu of %d\n", way,
              at_percentile(added, 0.5), at_percentile(added, 0.99), added.back(), least.front(),
              least.back(), design, at_percentile(all, 0.5), at_percentile(all, 0.99), all.size(),
              bursts * kCalls);
}

void Setup::measure_latency() {
  Samples up, down;
  std::this_thread::sleep_for(3s);  // the last answer plays out, and its turn ends
  for (int burst = 0; burst < kBursts; ++burst) {
    telephones.listen();
    voice.listen();
    telephones.speak();
    std::this_thread::sleep_for(500ms);
    voice.speak();
    std::this_thread::sleep_for(700ms);
    for (int call = 0; burst >= kWarmUpBursts && call < kCalls; ++call) {
      const auto add = [call](Samples& to, int64_t from_ns, int64_t to_ns) {
        if (from_ns != 0 && to_ns > from_ns)
          to[static_cast<size_t>(call)].push_back(double(to_ns - from_ns) / 1e6);
      };
      add(up, telephones.spoke_ns(call), voice.heard_ns(call));
      add(down, voice.spoke_ns(call), telephones.heard_ns(call));
    }
  }
  constexpr int kCounted = kBursts - kWarmUpBursts;
  std::printf("latency of a burst (ms), %d calls\n%-18s %9s %9s %9s   %-18s %-10s %7s %7s   %s\n", kCalls, "",
              "added p50", "p99", "most", "each call's least", "by design", "all p50", "p99", "bursts");
  print("caller to engine", "40 to 60", up, kCounted);
  print("engine to caller", "0 to 20", down, kCounted);
}

// The bare loop, with its own telephones and engine.
class BareLoopSetup {
 public:
  BareLoopSetup() : loop_(voice_.port(), telephones_.port()) {
    telephones_.pause(true);
    telephones_.connect(loop_.ports());
  }

  double cpu_ns_per_frame() {
    telephones_.pause(false);
    voice_.stream(true);
    const BareLoop::Cost cost = loop_.run(kBareLoopSeconds);
    voice_.stream(false);
    telephones_.pause(true);
    return cost.cpu_ns / double(std::max<uint64_t>(cost.frames, 1));
  }

 private:
  Voice voice_;
  Telephones telephones_;
  BareLoop loop_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--server") == 0) return serve(argv[2], argv[3]);
  std::signal(SIGPIPE, SIG_IGN);
  Setup setup;
  BareLoopSetup bare;
  run_pairs("20 calls with an engine over TLS", "ns of processor time per call and 20 ms",
            Side{"server", [&] { return setup.cpu_ns_per_frame(); }},
            Side{"bare loop", [&] { return bare.cpu_ns_per_frame(); }});
  setup.measure_latency();
}

// Measures the audio of running calls while an isolated plugin crashes repeatedly: an engine speaks to all
// telephones without a pause, so silence is a gap. Stalls of the machine are subtracted, and a control run
// has no crashes.
#include <doctest/doctest.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "bench/calls/telephones.h"
#include "bench/calls/voice.h"
#include "dialler.h"
#include "integration/isolation/machine_stalls.h"
#include "support/linked_plugin.h"
#include "support/probe_requests.h"
#include "support/sipp_peer.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kCalls = 20;
constexpr int64_t kMaxGapNs = 100'000'000;

// Makes the crasher crash.
class Alarm final : public Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "alarm", "version": "1.0.0"})";
  static constexpr char store_sql[] = "";
  static inline Alarm* current = nullptr;
  Status start(const Config&) override {
    current = this;
    return {};
  }
  void ring() { publish(host(), {"test.crash", "localhost", "now", "", "{}"}); }
};

std::string yaml(const bench::Voice& voice, int sip_port) {
  return R"(plugins:
  probe: {}
  alarm: {}
  crasher: {isolation: process, restarts: {most: 100000, within_s: 600}}
  media: {}
  whitelist: {}
  sip-trunk: {listenPort: 0}
  ai-voice: {maxLoadPercent: 0}  # however busy the machine is
  engine-gemini: {url: ")" +
         voice.url() + R"(", caFile: ")" + voice.ca_file() + R"("}
tenants:
  localhost:
    sip-trunk: {defaultTrunkId: main, trunks: [{id: main, host: 127.0.0.1, port: )" +
         std::to_string(sip_port) + "}]}\n";
}

std::string phone_of(int call) { return "+4930123" + std::to_string(1000 + call); }

class Setup {
 public:
  Setup();

  // The longest gap at any telephone since watch(); by default without the machine's stalls.
  int64_t longest_gap_ns(bool without_stalls = true);
  // Crashes the plugin once, waits until it runs again, and returns the time between.
  std::chrono::milliseconds crash();
  double metric(const std::string& name);

  bench::Voice voice{kCalls};
  bench::Telephones telephones{kCalls};
  test::Stalls stalls;

 private:
  std::vector<uint16_t> offered_ports();

  test::Sipp sipp_;
  test::TestServer server_;
};

Setup::Setup()
    : sipp_(isolation_test::answering(kCalls, telephones.port(), 1800)),
      server_(yaml(voice, sipp_.port()), nullptr, {probe::http_entry(), &test::LinkedPlugin<Alarm>::entry},
              {{"crasher", ISOLATION_CRASHER}}) {
  REQUIRE(server_.start_error() == "");
  for (int call = 0; call < kCalls; ++call) {
    probe::Call request;
    request.method = "POST";
    request.path = "/api.ashx/v1/calls";
    request.tenant = "localhost";
    request.body =
        R"({"phone":")" + phone_of(call) +
        R"(","email":"ops@example.com","model":"gemini-3.8-live","apiKey":"test-key","maxSeconds":3600,)" +
        R"("systemPrompt":"You are the assistant of telephone )" + std::to_string(call) + R"(."})";
    const http::Response response = probe::call(request);
    INFO(response.body);
    REQUIRE(response.status == 200);
  }
  REQUIRE(probe::eventually([&] { return offered_ports().size() == kCalls; }));
  telephones.connect(offered_ports());
  REQUIRE(probe::eventually([&] { return voice.connected() == kCalls; }));
  voice.stream(bench::Voice::Stream::tone);
  telephones.listen();
  REQUIRE(probe::eventually([&] {
    for (int call = 0; call < kCalls; ++call)
      if (telephones.heard_ns(call) == 0) return false;
    return true;
  }));
  std::this_thread::sleep_for(1s);  // the first sounds, and the buffers, settle
}

// The server's RTP ports, by call, from SIPp's log of the INVITEs.
std::vector<uint16_t> Setup::offered_ports() {
  const std::string log = sipp_.messages();
  std::vector<uint16_t> ports;
  for (int call = 0; call < kCalls; ++call) {
    const size_t invite = log.find("INVITE sip:" + phone_of(call));
    const size_t audio = log.find("m=audio ", invite);
    if (invite == std::string::npos || audio == std::string::npos) return {};
    ports.push_back(static_cast<uint16_t>(std::atoi(log.c_str() + audio + 8)));
  }
  return ports;
}

int64_t Setup::longest_gap_ns(bool without_stalls) {
  int64_t longest = 0;
  for (const auto& gap : telephones.gaps()) {
    const int64_t stalled_ns = without_stalls ? stalls.within_ns(gap.from_ns, gap.to_ns) : 0;
    longest = std::max(longest, gap.to_ns - gap.from_ns - stalled_ns);
  }
  return longest;
}

double Setup::metric(const std::string& name) {
  const std::string all = "\n" + server_.core().report("metrics");
  const size_t at = all.find("\n" + name);
  return at == std::string::npos ? 0 : std::strtod(all.c_str() + all.find(' ', at), nullptr);
}

std::chrono::milliseconds Setup::crash() {
  const std::string restarts = "patchbay_plugin_restarts_total{plugin=\"crasher\"}";
  const double before = metric(restarts);
  const auto begin = Clock::now();
  Alarm::current->ring();
  while (metric(restarts) == before && Clock::now() - begin < 60s) std::this_thread::sleep_for(2ms);
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
}

// Null for the short run.
const char* crashes_wanted() { return std::getenv("PATCHBAY_CRASHES"); }

}  // namespace

TEST_CASE("crashes of an isolated plugin cause no gap over 100 ms in 20 running calls") {
  Setup setup;
  // The long run is the only load and is strict. The short one runs at the same time as other tests and
  // allows, twice, what the same machine shows without a crash: one control run does not meet the longest
  // there is.
  const bool is_strict = crashes_wanted() != nullptr;
  const int crashes = is_strict ? std::atoi(crashes_wanted()) : 10;

  // The measure works: a silence of the engine is a gap.
  setup.telephones.watch();
  setup.voice.stream(bench::Voice::Stream::none);
  std::this_thread::sleep_for(2s);
  setup.voice.stream(bench::Voice::Stream::tone);
  std::this_thread::sleep_for(1s);
  CHECK(setup.longest_gap_ns(false) > 300'000'000);

  // A crash that made a gap would make one in each series, another process's load seldom in all of them.
  bool fits = false;
  int series = 0;
  while (!fits && series++ < (is_strict ? 1 : 3)) {
    setup.telephones.watch();
    const uint64_t heard_before = setup.telephones.received();
    const std::chrono::milliseconds quiet(3000 + 200 * crashes);
    std::this_thread::sleep_for(quiet);
    const int64_t control_ns = setup.longest_gap_ns();

    setup.telephones.watch();
    const uint64_t heard = setup.telephones.received();
    const auto begin = Clock::now();
    std::chrono::milliseconds slowest{0};
    for (int crash = 0; crash < crashes; ++crash) slowest = std::max(slowest, setup.crash());
    const int64_t gap_ns = setup.longest_gap_ns();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const double rate = double(setup.telephones.received() - heard) / seconds;
    const double wanted = is_strict ? 0.9 * kCalls * 1000 / bench::kFrameMs
                                    : 0.5 * double(heard - heard_before) * 1000 / double(quiet.count());
    MESSAGE(crashes << " crashes in " << seconds << " s: longest gap " << double(gap_ns) / 1e6
                    << " ms, without crashes " << double(control_ns) / 1e6 << " ms; slowest restart "
                    << slowest.count() << " ms; " << rate << " packets a second, wanted " << wanted
                    << "; longest stall of the machine " << double(setup.stalls.longest_ns()) / 1e6
                    << " ms (taken off)");
    fits = gap_ns < kMaxGapNs + (is_strict ? 0 : 2 * control_ns) && rate > wanted;
    if (is_strict) CHECK(slowest < 2s);
  }
  CHECK(fits);
  CHECK(setup.metric("patchbay_plugin_crashes_total{plugin=\"crasher\"}") == crashes * series);
  CHECK(setup.metric("patchbay_sip_trunk_legs") == kCalls);
}

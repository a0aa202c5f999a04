// The delay of a healthy webhook receiver beside 50 hostile ones, and alone: from the commit of an event to
// the request.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bench/calls/server.h"
#include "bench/calls/server_process.h"
#include "bench/pairs.h"
#include "support/probe_requests.h"
#include "support/webhook_receiver.h"

using namespace patchbay;
using namespace patchbay::bench;
using test::WebhookAnswer;
using test::WebhookReceiver;

namespace {

constexpr int kHostile = 50, kWarmUp = 20, kEvents = 200;
constexpr double kEventsPerSecond = 20;
constexpr const char* kSecret = "a-secret-of-the-bench";
constexpr WebhookAnswer kFaults[] = {WebhookAnswer::hang,  WebhookAnswer::drip,  WebhookAnswer::redirect,
                                     WebhookAnswer::reset, WebhookAnswer::error, WebhookAnswer::huge};

std::string config(const std::vector<std::string>& urls) {
  std::string text = R"(server: {data: data, log: {level: warn}, management: {listen: "127.0.0.1:0"}}
plugins: {probe: {}, webhooks: {}}
tenants:
  bench.example:
    primary: true
    webhooks:
      allowPrivateReceivers: true
      subscriptions:
)";
  for (const std::string& url : urls)
    text += "        - {url: \"" + url + "\", events: [call.ended], secret: " + kSecret + "}\n";
  return text;
}

// Keeps server and receivers apart. Threads and processes that are started later inherit it. No-op on a
// single core.
void pin_to_core(int core) {
  if (::sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

double at_share(std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(static_cast<double>(sorted.size() - 1) * share)];
}

struct Delays {
  double p50_us = 0, p99_us = 0;
  double cores = 0;  // processor time of the server per time
};

Delays measure(bool hostile) {
  pin_to_core(1);
  WebhookReceiver healthy({});
  std::vector<std::unique_ptr<WebhookReceiver>> others;
  std::vector<std::string> urls{healthy.url()};
  for (int i = 0; hostile && i < kHostile; ++i) {
    others.push_back(std::make_unique<WebhookReceiver>(WebhookReceiver::Options{}));
    others.back()->answer_always(kFaults[static_cast<size_t>(i) % std::size(kFaults)]);
    urls.push_back(others.back()->url());
  }
  pin_to_core(0);
  ServerProcess server(config(urls));
  pin_to_core(1);
  const double cpu_ns = server.cpu_ns(), begin = seconds_now();
  const int count = kWarmUp + kEvents;
  const Status done =
      server.command("events " + std::to_string(count) + " " + std::to_string(kEventsPerSecond));
  if (!done) die(done.error().text);
  const auto received = healthy.wait_for(static_cast<size_t>(count));
  if (received.size() != static_cast<size_t>(count))
    die(std::to_string(received.size()) + " deliveries arrived, of " + std::to_string(count));
  const double cores = (server.cpu_ns() - cpu_ns) / 1e9 / (seconds_now() - begin);
  std::vector<double> delays_us;
  for (const auto& delivery : received) {
    const int64_t emitted_ns = std::atoll(probe::text_member(delivery.body, "t").c_str());
    const auto arrived = std::chrono::nanoseconds(delivery.time.time_since_epoch()).count();
    delays_us.push_back(static_cast<double>(arrived - emitted_ns) / 1000);
  }
  delays_us.erase(delays_us.begin(), delays_us.begin() + kWarmUp);
  std::sort(delays_us.begin(), delays_us.end());
  return {at_share(delays_us, 0.5), at_share(delays_us, 0.99), cores};
}

}  // namespace

int main(int count, char** words) {
  if (count == 5 && std::string(words[1]) == "--server") return serve(words[2], words[3], words[4]);
  std::vector<double> with, alone, cores;  // p99 of each pair, cores beside the hostile ones
  const auto run = [&cores](bool hostile, std::vector<double>& p99) {
    const Delays delays = measure(hostile);
    p99.push_back(delays.p99_us);
    if (hostile) cores.push_back(delays.cores);
    return delays.p50_us;
  };
  run_pairs("delay of a healthy receiver, p50", "us",
            Side{"beside 50 hostile", [&] { return run(true, with); }},
            Side{"alone", [&] { return run(false, alone); }});
  std::vector<double> ratios;
  for (size_t i = 1; i < with.size(); ++i) ratios.push_back(with[i] / alone[i]);
  const Spread ratio = spread_of(ratios), ours = spread_of(with), theirs = spread_of(alone);
  std::printf("p99: %.0f us beside them, %.0f us alone; ratio %.3f (quartiles %.3f to %.3f)\n", ours.median,
              theirs.median, ratio.median, ratio.low, ratio.high);
  std::printf("the server used %.2f cores beside them\n", spread_of(cores).median);
}

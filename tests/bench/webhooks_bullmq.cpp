// The processor time of a durable webhook delivery, from the event to the recorded success: a server of ours,
// and a queue of BullMQ on a redis-server that syncs each write to the disk (bullmq/deliver.mjs).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "bench/calls/server.h"
#include "bench/calls/server_process.h"
#include "bench/pairs.h"
#include "support/child_process.h"
#include "support/webhook_receiver.h"

using namespace patchbay;
using namespace patchbay::bench;
using test::WebhookReceiver;

namespace {

constexpr int kWarmUpEvents = 200, kMeasuredEvents = 5000;
constexpr const char* kReceiverSecret = "a-secret-of-the-bench";
constexpr std::chrono::seconds kMaxRun{120};

std::string one_receiver(const std::string& url) {
  return R"(server: {data: data, log: {level: warn}, management: {listen: "127.0.0.1:0"}}
plugins: {probe: {}, webhooks: {maxInFlight: 32}}
tenants:
  bench.example:
    primary: true
    webhooks:
      allowPrivateReceivers: true
      subscriptions: [{url: ")" +
         url + "\", events: [call.ended], secret: " + kReceiverSecret + "}]\n";
}

// Each run returns us of processor time per delivery, and adds deliveries per second to `rates`.
double run_patchbay(std::vector<double>& rates) {
  WebhookReceiver receiver({});
  ServerProcess server(one_receiver(receiver.url()));
  size_t delivered = 0;
  const auto deliver = [&](int events) {
    if (const Status sent = server.command("events " + std::to_string(events) + " 0"); !sent)
      die(sent.error().text);
    delivered += static_cast<size_t>(events);
    if (receiver.wait_for(delivered, kMaxRun).size() < delivered) die("deliveries are missing");
    if (!wait_until([&] { return server.metric("patchbay_webhooks_delivered") >= double(delivered); }))
      die("deliveries are not recorded");
  };
  deliver(kWarmUpEvents);
  const double cpu_ns = server.cpu_ns(), begin = seconds_now();
  deliver(kMeasuredEvents);
  rates.push_back(kMeasuredEvents / (seconds_now() - begin));
  return (server.cpu_ns() - cpu_ns) / kMeasuredEvents / 1000;
}

double run_bullmq(std::vector<double>& rates) {
  WebhookReceiver receiver({});
  const test::TempFolder folder;
  auto node = test::Child::spawn({BENCH_NODE, BENCH_BULLMQ "/deliver.mjs", receiver.url(),
                                  std::to_string(kMeasuredEvents), folder.path()},
                                 BENCH_BULLMQ, folder.file("output"));
  if (!node) die(node.error().text);
  const auto code = node->wait(kMaxRun);
  double cpu_us = 0, rate = 0;
  const std::string output = test::read_text(folder.file("output"));
  if (code != 0 || std::sscanf(output.c_str(), "%lf %lf", &cpu_us, &rate) != 2)
    die("BullMQ (its packages: cmake --build --preset release --target bench-bullmq-packages): " + output);
  if (receiver.deliveries().size() < kMeasuredEvents) die("BullMQ has lost deliveries");
  rates.push_back(rate);
  return cpu_us;
}

}  // namespace

int main(int count, char** words) {
  if (count == 5 && std::string(words[1]) == "--server") return serve(words[2], words[3], words[4]);
  std::vector<double> ours, theirs;
  run_pairs("durable webhook delivery", "us of processor time",
            Side{"patchbay", [&] { return run_patchbay(ours); }},
            Side{"redis, BullMQ", [&] { return run_bullmq(theirs); }});
  std::printf("deliveries per second of time: %.0f and %.0f\n", spread_of(ours).median,
              spread_of(theirs).median);
}

#include "bench/calls/server.h"

#include <patchbay/core.h>
#include <patchbay/descriptor.h>
#include <patchbay/store.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "bench/instructions/callgrind.h"
#include "support/child_process.h"
#include "support/probe_requests.h"

namespace patchbay::bench {
namespace {

constexpr int kFirstPhone = 1000;
constexpr std::chrono::milliseconds kCallPause{40};  // so that setting up calls does not disturb those before

Status make_call(int call) {
  probe::Call request;
  request.method = "POST";
  request.path = "/api.ashx/v1/calls";
  request.tenant = "bench.example";
  request.body = call_request(call);
  const http::Response response = probe::call(request);
  if (response.status != 200) return {Code::failed, response.body};
  return {};
}

int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Emits durable events whose payload says when; `rate` per second, 0: all at once.
Status emit_events(int count, double rate) {
  static int64_t emitted = 0;
  auto next = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    if (rate > 0) std::this_thread::sleep_until(next += std::chrono::nanoseconds(int64_t(1e9 / rate)));
    probe::run([number = ++emitted](const probe::Host& host) {
      Transaction tx(host);
      tx.emit({"call.ended", "bench.example", "s" + std::to_string(number), "",
               R"({"t":")" + std::to_string(monotonic_ns()) + "\"}"});
      std::move(tx).commit([](const Commit&) {});
    });
  }
  return {};
}

Status obey(const Core& core, std::istream& command, int& calls) {
  std::string verb;
  command >> verb;
  if (verb == "calls") {
    int wanted = 0;
    for (command >> wanted; calls < wanted; ++calls) {
      if (const Status made = make_call(calls); !made)
        return {made.error().code, std::to_string(calls) + " calls: " + made.error().text};
      std::this_thread::sleep_for(kCallPause);
    }
    return {};
  }
  if (verb == "metrics") {
    std::ofstream("metrics") << core.report("metrics");
    return {};
  }
  if (verb == "events") {
    int count = 0;
    double rate = 0;
    command >> count >> rate;
    return emit_events(count, rate);
  }
  std::string name;
  if (verb != "count" || !(command >> name)) return {Code::invalid, "no such command"};
  return name == "begin" ? begin_count() : end_count(name);
}

}  // namespace

std::string phone_of(int call) { return kPhonePrefix + std::to_string(kFirstPhone + call); }
int call_of(const char* text) { return std::atoi(text) - kFirstPhone; }

std::string call_request(int call) {
  return R"({"phone":")" + phone_of(call) +
         R"(","email":"ops@example.com","model":"gemini-3.8-live","apiKey":"bench-key","maxSeconds":3600,)" +
         R"("systemPrompt":"You are the assistant of telephone )" + std::to_string(call) + R"(."})";
}

std::string calls_config(int sip_port, const std::string& url, const std::string& ca_file,
                         int max_load_percent) {
  return R"(server: {data: data, log: {level: warn}, management: {listen: "127.0.0.1:0"}}
plugins:
  probe: {}
  media: {}
  whitelist: {}
  sip-trunk: {listenPort: 0}
  ai-voice: {maxCalls: 100000, maxLoadPercent: )" +
         std::to_string(max_load_percent) + R"(}
  engine-gemini: {url: ")" +
         url + R"(", caFile: ")" + ca_file + R"("}
tenants:
  bench.example:
    primary: true
    ai-voice: {maxConcurrentCalls: 10000}
    sip-trunk: {defaultTrunkId: main, trunks: [{id: main, host: 127.0.0.1, port: )" +
         std::to_string(sip_port) + "}]}\n";
}

int serve(const char* config, const char* log, const char* commands) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  CoreOptions options;
  options.config_file = config;
  options.plugin_dir = BENCH_PLUGINS;
  options.log_file = log;
  // A server without telephony gets that of the probe, which also emits events of calls.
  const bool calls = test::read_text(config).find("sip-trunk:") != std::string::npos;
  options.linked_plugins = {calls ? probe::http_entry() : probe::entry()};
  options.environment.emplace();
  auto core = Core::create(std::move(options));
  const Status started = core ? (*core)->start() : Status(core.error());
  if (!started) {
    std::printf("refused: %s\n", started.error().text.c_str());
    return 1;
  }
  std::printf("ready %d\n", static_cast<int>(::getpid()));
  std::fflush(stdout);
  std::fstream pipe(commands, std::ios::in | std::ios::out);  // opened for both, it has no end
  int made = 0;
  for (std::string line; std::getline(pipe, line);) {
    std::istringstream command(line);
    int number = 0;
    command >> number;
    const Status done = obey(**core, command, made);
    std::printf("%d %s\n", number, done ? "ok" : ("refused: " + done.error().text).c_str());
    std::fflush(stdout);
  }
  std::_Exit(1);
}

}  // namespace patchbay::bench

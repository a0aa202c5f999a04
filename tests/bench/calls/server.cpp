#include "bench/calls/server.h"

#include <patchbay/core.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "bench/calls/pacer.h"
#include "support/probe_requests.h"

namespace patchbay::bench {
namespace {

bool make_call(int call) {
  probe::Call request;
  request.method = "POST";
  request.path = "/api.ashx/v1/calls";
  request.tenant = "bench.example";
  request.body =
      R"({"phone":")" + phone_of(call) +
      R"(","email":"ops@example.com","model":"gemini-3.8-live","apiKey":"bench-key","maxSeconds":3600,)" +
      R"("systemPrompt":"You are the assistant of telephone )" + std::to_string(call) + R"(."})";
  const http::Response response = probe::call(request);
  if (response.status != 200) std::printf("refused: %s\n", response.body.c_str());
  return response.status == 200;
}

}  // namespace

std::string phone_of(int call) { return "+4930123" + std::to_string(1000 + call); }

std::string server_config(int sip_port, const std::string& url, const std::string& ca_file) {
  return R"(server: {data: data, log: {level: warn}, management: {listen: "127.0.0.1:0"}}
plugins:
  probe: {}
  media: {}
  whitelist: {}
  sip-trunk: {listenPort: 0}
  ai-voice: {}
  engine-gemini: {url: ")" +
         url + R"(", caFile: ")" + ca_file + R"("}
tenants:
  bench.example:
    primary: true
    sip-trunk: {defaultTrunkId: main, trunks: [{id: main, host: 127.0.0.1, port: )" +
         std::to_string(sip_port) + "}]}\n";
}

int serve(const char* config, const char* log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  CoreOptions options;
  options.config_file = config;
  options.plugin_dir = BENCH_PLUGINS;
  options.log_file = log;
  options.linked_plugins = {probe::http_entry()};
  options.environment.emplace();
  auto core = Core::create(std::move(options));
  const Status started = core ? (*core)->start() : Status(core.error());
  if (!started) {
    std::printf("refused: %s\n", started.error().text.c_str());
    return 1;
  }
  for (int call = 0; call < kCalls; ++call)
    if (!make_call(call)) return 1;
  std::printf("ready %d\n", static_cast<int>(::getpid()));
  std::fflush(stdout);
  int signal = 0;
  sigwait(&stop, &signal);
  std::_Exit(0);  // its folder goes with it
}

}  // namespace patchbay::bench

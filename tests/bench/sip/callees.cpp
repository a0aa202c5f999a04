#include "bench/sip/callees.h"

#include <time.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>
#include <utility>

#include "bench/sip/caller.h"
#include "bench/sip/plugin_folder.h"
#include "support/free_ports.h"

namespace patchbay::bench {
namespace {

const char kRoutes[] = R"(
request_route {
  if (is_method("CANCEL")) { if (t_check_trans()) { t_relay(); } exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK") && t_check_trans()) { t_relay(); }
    exit;
  }
  record_route();
  $du = "sip:127.0.0.1:NEXT_HOP";
  t_relay();
}
)";

// The process and its children, which Kamailio's work is spread over.
std::vector<pid_t> family_of(pid_t parent) {
  std::vector<pid_t> family{parent};
  const std::string path = "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent);
  std::istringstream children(test::read_text(path + "/children"));
  for (pid_t child = 0; children >> child;) family.push_back(child);
  return family;
}

Status wait_until(test::Child& child, const std::string& output, const std::function<bool()>& ready) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (; !ready(); std::this_thread::sleep_for(std::chrono::milliseconds(5)))
    if (std::chrono::steady_clock::now() > deadline || !child.running())
      return {Code::unavailable, "it did not start: " + test::read_text(output)};
  return {};
}

Callee empty_callee(std::string name) {
  Callee callee{std::move(name), test::free_port(), std::make_unique<test::TempFolder>(), {}, {}};
  return callee;
}

Result<test::Child> spawn_sipp_uas(const test::TempFolder& folder, uint16_t port) {
  const std::string output = folder.file("sipp-output");
  PB_TRY_VALUE(test::Child sipp,
               test::Child::spawn({"sipp", "-sn", "uas", "-i", "127.0.0.1", "-p", std::to_string(port), "-mp",
                                   std::to_string(test::free_port()), "-nostdin"},
                                  folder.path(), output));
  PB_TRY(wait_until(sipp, output, [&] { return test::is_bound_on_udp(port); }));
  return sipp;
}

std::string patchbay_config(uint16_t port) {
  return "server: {data: data, log: {level: warn}, management: {listen: \"127.0.0.1:0\"}}\n"
         "plugins:\n  media: {}\n  whitelist: {}\n  transcripts: {}\n  numbers: {}\n"
         "  sip-trunk: {listenPort: " +
         std::to_string(port) +
         "}\n  ai-voice: {maxCalls: 100000, maxLoadPercent: 0}\n  echo-engine: {}\n"
         "tenants:\n  bench.example:\n    primary: true\n    ai-voice: {maxConcurrentCalls: 10000}\n"
         "    sip-trunk: {defaultTrunkId: main, trunks: [{id: main, host: 127.0.0.1, port: 5060}]}\n"
         "    numbers: {list: [{name: Bench, number: '" +
         kCalled + "', model: echo, systemPrompt: Echo., apiKey: bench-key}]}\n";
}

}  // namespace

double Callee::cpu_us() const {
  double sum = 0;
  for (const pid_t pid : measured) {
    clockid_t clock = 0;
    timespec now{};
    if (::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &now) == 0)
      sum += double(now.tv_sec) * 1e6 + double(now.tv_nsec) * 1e-3;
  }
  return sum;
}

Result<Callee> start_patchbay() {
  Callee callee = empty_callee("patchbay");
  const std::string output = callee.folder->file("output");
  std::ofstream(callee.folder->file("patchbay.yaml")) << patchbay_config(callee.port);
  link_plugins(callee.folder->file("plugins"));
  PB_TRY_VALUE(test::Child server, test::Child::spawn({BENCH_BUILD_FOLDER "/bin/patchbay", "serve", "-c",
                                                       callee.folder->file("patchbay.yaml"), "--plugin-dir",
                                                       callee.folder->file("plugins")},
                                                      callee.folder->path(), output));
  PB_TRY(wait_until(server, output,
                    [&] { return test::read_text(output).find("patchbay: ready") != std::string::npos; }));
  callee.measured = {server.pid()};
  callee.children.push_back(std::move(server));
  return callee;
}

Result<Callee> start_kamailio() {
  Callee callee = empty_callee("Kamailio");
  const uint16_t next_hop = test::free_port();
  PB_TRY_VALUE(test::Child uas, spawn_sipp_uas(*callee.folder, next_hop));
  std::string routes = kRoutes;
  routes.replace(routes.find("NEXT_HOP"), 8, std::to_string(next_hop));
  std::ofstream config(callee.folder->file("kamailio.cfg"));
  config << "#!KAMAILIO\ndebug=1\nlog_stderror=yes\nfork=yes\nchildren=1\ndisable_tcp=yes\nauto_aliases=no\n"
         << "dns=no\nrev_dns=no\nlisten=udp:127.0.0.1:" << callee.port << "\n";
  for (const char* module : {"tm", "sl", "rr", "pv", "textops", "siputils"})
    config << "loadmodule \"" << module << ".so\"\n";
  config << routes;
  config.close();
  const std::string output = callee.folder->file("output");
  PB_TRY_VALUE(
      test::Child kamailio,
      test::Child::spawn({"kamailio", "-DD", "-E", "-f", callee.folder->file("kamailio.cfg"), "-Y",
                          callee.folder->path(), "-P", callee.folder->file("pid"), "-m", "64", "-M", "8"},
                         callee.folder->path(), output));
  PB_TRY(wait_until(kamailio, output, [&] { return test::is_bound_on_udp(callee.port); }));
  PB_TRY(call(callee.port, 1, 1));  // its processes have started
  callee.measured = family_of(kamailio.pid());
  callee.children.push_back(std::move(kamailio));
  callee.children.push_back(std::move(uas));
  return callee;
}

Result<Callee> start_sipp_uas() {
  Callee callee = empty_callee("SIPp");
  PB_TRY_VALUE(test::Child uas, spawn_sipp_uas(*callee.folder, callee.port));
  callee.measured = {uas.pid()};
  callee.children.push_back(std::move(uas));
  return callee;
}

}  // namespace patchbay::bench

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "bench/bridge/relays.h"
#include "bench/sip/plugin_folder.h"
#include "support/free_ports.h"

namespace patchbay::bench {
namespace {

constexpr int kLimitSec = 3600;

template <class Ready>
bool becomes(Ready ready) {
  for (int i = 0; i < 3000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(20)))
    if (ready()) return true;
  return false;
}

std::string config(uint16_t sip_port, uint16_t callee_port) {
  return "server: {data: data, log: {level: warn}, management: {listen: \"127.0.0.1:0\"}}\n"
         "plugins:\n  media: {}\n  bridge: {}\n  sip-trunk: {requireGate: false, noMediaTimeoutSec: 3600, "
         "listenPort: " +
         std::to_string(sip_port) +
         "}\ntenants:\n  bench.example:\n    primary: true\n    sip-trunk:\n      defaultTrunkId: out\n"
         "      trunks:\n      - {id: in, host: 127.0.0.1, port: 5060, codecs: [PCMU, telephone-event]}\n"
         "      - {id: out, host: 127.0.0.1, codecs: [PCMU, telephone-event], srtp: required, port: " +
         std::to_string(callee_port) + "}\n";
}

// The server's RTP ports, from SIPp's log of the answers, some of which are repeated.
std::vector<uint16_t> answered_ports(const std::string& log) {
  std::set<uint16_t> ports;
  const std::string mark = "m=audio ";
  for (size_t at = 0; (at = log.find("SIP/2.0 200 OK", at)) != std::string::npos; ++at) {
    const size_t audio = log.find(mark, at);
    if (audio == std::string::npos) break;
    ports.insert(static_cast<uint16_t>(std::atoi(log.c_str() + audio + mark.size())));
  }
  return {ports.begin(), ports.end()};
}

}  // namespace

Result<Relay> start_patchbay_relay(int calls, uint16_t from, uint16_t to) {
  Relay relay;
  relay.name = "patchbay";
  relay.folder = std::make_unique<test::TempFolder>();
  test::Sipp::Options callee;
  callee.scenario = BENCH_BRIDGE_FOLDER "/callee.xml";
  callee.calls = calls;
  callee.limit_sec = kLimitSec;
  callee.values = {{"rtp_port", std::to_string(to)}};
  PB_TRY_VALUE(relay.callee, test::Sipp::start(callee));
  const uint16_t sip_port = test::free_port();
  std::ofstream(relay.folder->file("patchbay.yaml")) << config(sip_port, relay.callee->port());
  link_plugins(relay.folder->file("plugins"));
  const std::string output = relay.folder->file("output");
  PB_TRY_VALUE(relay.server, test::Child::spawn({BENCH_BUILD_FOLDER "/bin/patchbay", "serve", "-c",
                                                 relay.folder->file("patchbay.yaml"), "--plugin-dir",
                                                 relay.folder->file("plugins")},
                                                relay.folder->path(), output));
  relay.measured = relay.server->pid();
  if (!becomes([&] { return test::read_text(output).find("patchbay: ready") != std::string::npos; }))
    return {Code::unavailable, "it did not start: " + test::read_text(output)};
  test::Sipp::Options caller;
  caller.scenario = BENCH_BRIDGE_FOLDER "/caller.xml";
  caller.calls = calls;
  caller.limit_sec = kLimitSec;
  caller.target_port = sip_port;
  caller.values = {{"rtp_port", std::to_string(from)}};
  PB_TRY_VALUE(relay.caller, test::Sipp::start(caller));
  const bool all = becomes([&] {
    relay.ports = answered_ports(relay.caller->messages());
    return relay.ports.size() == static_cast<size_t>(calls);
  });
  if (!all) return {Code::timeout, "not all calls were answered: " + test::read_text(output)};
  return relay;
}

}  // namespace patchbay::bench

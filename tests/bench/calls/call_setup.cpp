#include "bench/calls/call_setup.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bench/calls/server.h"

namespace patchbay::bench {
namespace {

constexpr std::string_view kRefused = "refused: ";
constexpr int kLimitSec = 3600;  // of a whole run

test::Sipp::Options answering(int calls, uint16_t rtp_port) {
  test::Sipp::Options options;
  options.scenario = BENCH_PHONE_SCENARIO;
  options.calls = calls;
  options.limit_sec = kLimitSec;
  options.values = {{"rtp_port", std::to_string(rtp_port)}};
  return options;
}

}  // namespace

CallSetup::CallSetup(int max_calls, const std::vector<std::string>& tool, int max_load_percent)
    : voice(max_calls), telephones(max_calls) {
  auto sipp = test::Sipp::start(answering(max_calls, telephones.port()));
  if (!sipp) die(sipp.error().text);
  sipp_ = *std::move(sipp);
  server_.emplace(calls_config(sipp_->port(), voice.url(), voice.ca_file(), max_load_percent), tool);
}

Status CallSetup::make_calls(int calls) {
  if (const Status made = server_->command("calls " + std::to_string(calls)); !made) {
    refusal_ = made.error().text;
    if (refusal_.rfind(kRefused, 0) != 0) return made;
    calls = std::atoi(refusal_.c_str() + kRefused.size());
  }
  std::vector<uint16_t> ports;
  const auto dialled = [&] { return (ports = offered_ports(calls)).size() == static_cast<size_t>(calls); };
  if (!wait_until(dialled)) return {Code::timeout, "not all telephones rang"};
  telephones.connect(ports);
  if (!wait_until([&] { return voice.connected() == calls; }))
    return {Code::timeout, "the engine does not hear all callers"};
  calls_ = calls;
  return {};
}

// The server's RTP ports, by call, from SIPp's log of the INVITEs; none until all are there.
std::vector<uint16_t> CallSetup::offered_ports(int calls) const {
  const std::string log = sipp_->messages();
  const std::string invite = std::string("INVITE sip:") + kPhonePrefix;
  std::vector<uint16_t> ports(static_cast<size_t>(calls));
  for (size_t at = 0; (at = log.find(invite, at)) != std::string::npos;) {
    const auto call = static_cast<size_t>(call_of(log.c_str() + at + invite.size()));
    const size_t audio = log.find("m=audio ", at);
    if (audio == std::string::npos) break;
    if (call < ports.size()) ports[call] = static_cast<uint16_t>(std::atoi(log.c_str() + audio + 8));
    at = audio;
  }
  if (std::count(ports.begin(), ports.end(), 0) > 0) return {};
  return ports;
}

uint64_t CallSetup::frames() const { return std::min(voice.received(), telephones.received()); }

}  // namespace patchbay::bench

// A call from INVITE to BYE: the processor time of a whole server that answers it with an AI voice, and
// stores its record, its events and its transcript; compared with SIPp, which only answers, and with
// Kamailio, which relays the same calls to SIPp.
#include <cstdio>
#include <cstdlib>

#include "bench/pairs.h"
#include "bench/sip/callees.h"
#include "bench/sip/caller.h"

using namespace patchbay;
using namespace patchbay::bench;

namespace {

constexpr int kCalls = 300, kCallsPerSecond = 100;

double cpu_us_per_call(Callee& callee) {
  const double before = callee.cpu_us();
  const Status called = call(callee.port, kCalls, kCallsPerSecond);
  if (called) return (callee.cpu_us() - before) / kCalls;
  std::fprintf(stderr, "%s: %s\n", callee.name.c_str(), called.error().text.c_str());
  std::exit(1);
}

Callee started(Result<Callee> callee) {
  if (callee) return *std::move(callee);
  std::fprintf(stderr, "%s\n", callee.error().text.c_str());
  std::exit(1);
}

}  // namespace

int main() {
  Callee patchbay = started(start_patchbay()), kamailio = started(start_kamailio());
  Callee sipp = started(start_sipp_uas());
  std::printf("%d calls, %d per second, hung up when they are answered\n", kCalls, kCallsPerSecond);
  run_pairs("INVITE to BYE", "us of processor time per call",
            Side{"patchbay", [&] { return cpu_us_per_call(patchbay); }},
            Side{"Kamailio, relaying", [&] { return cpu_us_per_call(kamailio); }},
            Side{"SIPp, answering", [&] { return cpu_us_per_call(sipp); }});
}

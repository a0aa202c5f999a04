// The time from exec until all ports are open, and the memory of an idle server: Patchbay with all its
// plugins, compared with Janus. `bench-start parts` shows what Patchbay's consist of.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/pairs.h"
#include "bench/start/parts.h"
#include "bench/start/servers.h"

using namespace patchbay;
using namespace patchbay::bench;

namespace {

constexpr int kPartsRounds = 5;

[[noreturn]] void fail(const std::string& why) {
  std::printf("%s\n", why.c_str());
  std::exit(1);
}

Started started_in(const std::string& folder, const Result<Server>& server) {
  const auto started = server ? start_once(*server, folder) : Result<Started>(server.error());
  if (!started) fail(started.error().text);
  return *started;
}

// Two starts in one folder: the first finds it empty, the second is a restart.
std::pair<Started, Started> start_patchbay() {
  const test::TempFolder folder;
  const auto server = patchbay_server(folder.path());
  const Started first = started_in(folder.path(), server);
  return {first, started_in(folder.path(), server)};
}

void compare() {
  // One run gives all figures; the later comparisons use the runs of the first.
  std::vector<Started> ours, restarts, theirs;
  run_pairs("start", "ms from exec to all ports open",
            Side{"patchbay",
                 [&] {
                   const auto [first, again] = start_patchbay();
                   ours.push_back(first);
                   restarts.push_back(again);
                   return first.ms;
                 }},
            Side{"janus", [&] {
                   const test::TempFolder folder;
                   theirs.push_back(started_in(folder.path(), janus_server(folder.path())));
                   return theirs.back().ms;
                 }});
  const auto figure = [](const std::vector<Started>& runs, double Started::*member) {
    return [&runs, member, next = size_t{0}]() mutable { return runs[next++].*member; };
  };
  run_pairs("restart", "ms, with the data folder of the first start",
            Side{"patchbay", figure(restarts, &Started::ms)}, Side{"janus", figure(theirs, &Started::ms)});
  run_pairs("ready", "ms from exec until all plugins are started",
            Side{"patchbay", figure(ours, &Started::ready_ms)}, Side{"janus", figure(theirs, &Started::ms)});
  run_pairs("idle memory", "PSS in KiB, two seconds after the start",
            Side{"patchbay", figure(ours, &Started::idle_kib)},
            Side{"janus", figure(theirs, &Started::idle_kib)});
}

}  // namespace

int main(int count, char** arguments) {
  if (const pid_t other = other_patchbay(); other != 0)
    fail("another Patchbay runs (process " + std::to_string(other) +
         "), and its shared pages would lower the PSS; stop it");
  if (count < 2) {
    compare();
  } else if (std::string_view(arguments[1]) != "parts") {
    fail("bench-start [parts]");
  } else if (const Status printed = print_parts(kPartsRounds); !printed) {
    fail(printed.error().text);
  }
}

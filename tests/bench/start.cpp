// The time from exec until all ports are open, and the memory of an idle server: Patchbay with all its
// plugins, compared with Janus.
#include <cstdio>
#include <cstdlib>

#include "bench/pairs.h"
#include "bench/start/servers.h"

using namespace patchbay;
using namespace patchbay::bench;

namespace {

using Make = Result<Server> (*)(const std::string& folder);

Started run(Make make) {
  const test::TempFolder folder;
  const auto server = make(folder.path());
  auto started = server ? start_once(*server, folder.path()) : Result<Started>(server.error());
  if (!started) {
    std::printf("%s\n", started.error().text.c_str());
    std::exit(1);
  }
  return *started;
}

}  // namespace

int main() {
  // One run gives both figures; the second comparison uses the runs of the first.
  std::vector<double> ours, theirs;
  const auto timed = [](Make make, std::vector<double>& memory) {
    return [make, &memory] {
      const Started started = run(make);
      memory.push_back(started.idle_kib);
      return started.ms;
    };
  };
  run_pairs("start", "ms from exec to all ports open", Side{"patchbay", timed(&patchbay_server, ours)},
            Side{"janus", timed(&janus_server, theirs)});
  size_t our_next = 0, their_next = 0;
  run_pairs("idle memory", "PSS in KiB, two seconds after the start",
            Side{"patchbay", [&] { return ours[our_next++]; }},
            Side{"janus", [&] { return theirs[their_next++]; }});
}

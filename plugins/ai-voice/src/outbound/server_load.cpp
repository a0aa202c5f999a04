#include "outbound/server_load.h"

#include <algorithm>
#include <chrono>

namespace patchbay::ai_voice {

// Uses real time also when a test drives the host's clock, because the processor time is real.
ServerLoad ServerLoad::read(const Host& host) {
  const auto report = host.parse_json(host.report("load"));
  if (!report) return {};
  const JsonView root = report->root();
  ServerLoad load;
  load.now_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  load.cpu_ns = root.integer("cpuNs", 0);
  load.cores = std::max(root["cores"].number(), 0.01);
  load.ticks = root.integer("ticks", 0);
  load.late_ticks = root.integer("lateTicks", 0);
  load.wait_ns = root.integer("waitNs", 0);
  load.runs = root.integer("runs", 0);
  return load;
}

}  // namespace patchbay::ai_voice

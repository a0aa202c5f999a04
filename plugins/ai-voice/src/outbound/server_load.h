// ServerLoad: what the server, with its isolated plugins, has used of its processors, and how late its
// threads get them; reported by the host.
#pragma once

#include <patchbay/host.h>

#include <cstdint>

namespace patchbay::ai_voice {

// All but `cores` are totals, of which differences are used.
struct ServerLoad {
  int64_t now_ns = 0;  // when they were read; 0: they are not known
  int64_t cpu_ns = 0;  // processor time
  double cores = 1;    // that may be used; less than one, too, with a quota
  int64_t ticks = 0;   // of the media loops, that were due
  int64_t late_ticks = 0;
  int64_t wait_ns = 0;  // of threads for a processor
  int64_t runs = 0;     // how often a thread got one

  static ServerLoad read(const Host& host);
};

}  // namespace patchbay::ai_voice

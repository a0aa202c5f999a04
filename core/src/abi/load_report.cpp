#include "abi/load_report.h"

#include "json/writer.h"
#include "runtime/media_pool.h"
#include "runtime/process_times.h"
#include "runtime/thread_waits.h"
#include "runtime/usable_cores.h"

namespace patchbay::core {

std::string load_report(ProcessTimes& times, ThreadWaits& waits, MediaPool& media) {
  uint64_t ticks = 0, late = 0;
  for (size_t loop = 0; loop < media.size(); ++loop) {
    const MediaLoopStats stats = media.at(loop).stats();
    ticks += stats.ticks + stats.skipped;
    late += stats.late + stats.skipped;
  }
  const ThreadWaits::Totals waited = waits.read();
  json::Writer out;
  out.begin_object()
      .member("cpuNs", times.used_ns())
      .member("cores", usable_cores())
      .member("ticks", ticks)
      .member("lateTicks", late)
      .member("waitNs", waited.wait_ns)
      .member("runs", waited.runs)
      .end_object();
  return out.take();
}

}  // namespace patchbay::core

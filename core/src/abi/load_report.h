// The report "load" of pb_observe.report: what the server has used of its processors, and the media loops'
// ticks.
#pragma once

#include <string>

namespace patchbay::core {

class MediaPool;
class ProcessTimes;
class ThreadWaits;

// [any, not media] {"cpuNs", "cores", "ticks", "lateTicks", "waitNs", "runs"}. All but `cores` are totals
// that never fall. `ticks` are those that were due, `lateTicks` those that began one step late or more, or
// never. `waitNs`: how long threads of this process waited for a processor, in so many `runs`.
std::string load_report(ProcessTimes& times, ThreadWaits& waits, MediaPool& media);

}  // namespace patchbay::core

// The report "load" of pb_observe.report: what the server has used of its processors, and the media loops'
// ticks.
#pragma once

#include <string>

namespace patchbay::core {

class MediaPool;
class ProcessTimes;

// [any, not media] {"cpuNs", "cores", "ticks", "lateTicks"}. All but `cores` are totals that never fall.
// `ticks` are those that were due, and `lateTicks` those that began one step late or more, or never.
std::string load_report(ProcessTimes& times, MediaPool& media);

}  // namespace patchbay::core

// LoadLimit: refuses calls that the processors cannot carry, because beyond their limit the audio of all
// calls is late. Pure logic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "outbound/server_load.h"

namespace patchbay::ai_voice {

class LoadLimit {
 public:
  // Call it about every second while calls run. `talking`: the calls whose audio flows.
  void sample(const ServerLoad& now, size_t talking);
  // Call it when no call runs. Forgets load and lateness, and keeps what a call and other work cost. The
  // next sample measures the other work.
  void idle(const ServerLoad& now);

  // Returns how many calls may start: below `max_percent` of the cores, also once they and those of the
  // `running` calls that do not talk yet cost as much as the others; none while threads are late. 0: any
  // number.
  size_t room(int64_t max_percent, size_t running) const;
  // Returns the limit that lets no call start: "load", or "late" while threads are; "": none, and the call is
  // counted.
  std::string_view admit(int64_t max_percent, size_t running);

  // The share of the cores that was used between the last two samples; 0: not known yet.
  double load() const noexcept { return load_; }
  double cores() const noexcept { return last_.cores; }
  // The share of the media loops' ticks that were late, and how long a thread waits for a processor;
  // smoothed, and at most kMaxSampleOfLimit times as much as their limits.
  double late_ticks() const noexcept { return late_ticks_; }
  double wait_ns() const noexcept { return wait_ns_; }

 private:
  void learn(double used_cores, size_t talking);
  void watch_threads(const ServerLoad& now);
  double cores_of_each() const;
  bool is_late() const noexcept { return are_ticks_late_ || are_threads_late_; }

  ServerLoad last_;
  double load_ = 0;
  double late_ticks_ = 0;
  double wait_ns_ = 0;
  // Apart, because otherwise one could not end while the other is between its two limits.
  bool are_ticks_late_ = false;
  bool are_threads_late_ = false;
  size_t talking_ = 0;
  size_t admitted_ = 0;  // since the last sample
  bool idle_ = false;
  // In cores, each smoothed over many samples.
  double other_cores_ = 0;    // used without calls
  double calls_cores_ = 0;    // used by learned_calls_
  double learned_calls_ = 0;  // 0: no call has talked yet
};

}  // namespace patchbay::ai_voice

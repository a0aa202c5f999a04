// LoadLimit: refuses calls that the processor cannot carry, because beyond its limit the audio of all calls
// is late. Pure logic, except usage_now().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace patchbay::ai_voice {

class LoadLimit {
 public:
  // The processor time that the process has used so far, and the cores that it may use.
  struct Usage {
    int64_t now_ns = 0;
    int64_t cpu_ns = 0;
    double cores = 1;  // less than one, too, with a quota of the process's control group
  };
  static Usage usage_now();
  // The quota in a cpu.max of control groups v2, in cores; 0: none.
  static double quota_cores(std::string_view cpu_max);

  // Call it about every second while calls run. `talking`: the calls whose audio flows.
  void sample(const Usage& usage, size_t talking);
  // Call it when no call runs. Forgets the load, and keeps what a call and other work cost. The next sample
  // measures the other work.
  void idle(const Usage& usage);

  // Returns how many calls may start: below `max_percent` of the cores (0: any number), also once they and
  // those of the `running` calls that do not talk yet cost as much as the others.
  size_t room(int64_t max_percent, size_t running) const;
  // Returns whether another call may start. Counts it.
  bool admit(int64_t max_percent, size_t running);

  // The share of the cores that was used between the last two samples; 0: not known yet.
  double load() const noexcept { return load_; }

 private:
  void learn(double used_cores, size_t talking);
  double cores_of_each() const;

  Usage last_;
  double load_ = 0;
  size_t talking_ = 0;
  size_t admitted_ = 0;  // since the last sample
  bool idle_ = false;
  // In cores, each smoothed over many samples.
  double other_cores_ = 0;    // used without calls
  double calls_cores_ = 0;    // used by learned_calls_
  double learned_calls_ = 0;  // 0: no call has talked yet
};

}  // namespace patchbay::ai_voice

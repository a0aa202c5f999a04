// Delays of a burst of sound through a server, both ways, by call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::bench {

// The delays of one direction. The minimum delay of a call results from its buffers and the phase of its
// tick, and is constant. Delay beyond it was added by the server (and this machine).
class Delays {
 public:
  explicit Delays(int calls) : of_call_(static_cast<size_t>(calls)) {}

  // Ignored when the burst did not arrive (either time 0).
  void add(int call, int64_t from_ns, int64_t to_ns);

  struct Summary {
    std::vector<double> added, least, all;  // ms, ascending; `least` has one for each call
  };
  Summary summary() const;

 private:
  std::vector<std::vector<double>> of_call_;  // ms
};

double at_percentile(const std::vector<double>& sorted, double share);

}  // namespace patchbay::bench

#include "bench/calls/delays.h"

#include <algorithm>

namespace patchbay::bench {

void Delays::add(int call, int64_t from_ns, int64_t to_ns) {
  if (from_ns != 0 && to_ns > from_ns)
    of_call_[static_cast<size_t>(call)].push_back(double(to_ns - from_ns) / 1e6);
}

Delays::Summary Delays::summary() const {
  Summary out;
  for (const auto& delays : of_call_) {
    if (delays.empty()) continue;
    const double least = *std::min_element(delays.begin(), delays.end());
    out.least.push_back(least);
    for (const double each : delays) {
      out.added.push_back(each - least);
      out.all.push_back(each);
    }
  }
  for (auto* list : {&out.added, &out.least, &out.all}) std::sort(list->begin(), list->end());
  return out;
}

double at_percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(share * double(sorted.size() - 1) + 0.5)];
}

}  // namespace patchbay::bench

// Parses the Prometheus text of a server's metrics. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::app {

using MetricLabels = std::map<std::string, std::string, std::less<>>;

struct MetricSample {
  MetricLabels labels;
  double value = 0;
};

class MetricSamples {
 public:
  // Format 0.0.4. Lines that are not samples, and samples that are not numbers, are skipped.
  static MetricSamples parse(std::string_view text);

  // The samples of one metric; empty when the text has none.
  const std::vector<MetricSample>& of(std::string_view name) const;
  // Their sum and maximum; 0 without samples.
  double sum(std::string_view name) const;
  double max(std::string_view name) const;
  bool has(std::string_view name) const { return !of(name).empty(); }

 private:
  std::map<std::string, std::vector<MetricSample>, std::less<>> by_name_;
};

}  // namespace patchbay::app

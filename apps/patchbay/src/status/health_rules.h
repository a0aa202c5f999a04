// Tables of the metrics that `patchbay status` shows, and of the values that are a problem.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace patchbay::app {

enum class Reading : uint8_t {
  now,         // the current value of a gauge
  increase,    // growth of a counter between the two readings
  per_second,  // that growth per second
  max,         // figures only: the value of the largest series
  mean_ms,     // figures only: mean of a histogram (in seconds) between the readings
};

// Applies to each series of the metric separately, so that a finding names its labels.
struct HealthRule {
  std::string_view metric;
  Reading reading;           // now, increase or per_second
  double above;              // values above this are a problem
  std::string_view problem;  // '#' stands for the figure
  // '$name' stands for the current sum of that metric, in ms if its name ends in _seconds, and '$name%' for
  // 100 times as much.
  std::string_view advice;
  std::string_view only = {};  // restricts the rule to series that have a label with this value
  // The text for the counter's total since the start. Rules of `increase` use `problem` instead.
  std::string_view past = {};
};

// A figure of the screen, computed over all series of its metric. Figures of one area must be adjacent.
struct Figure {
  std::string_view area;
  std::string_view metric;
  Reading reading;
  std::string_view text;  // '#' stands for the figure
};

std::span<const HealthRule> health_rules();  // the most serious first
std::span<const Figure> health_screen();

}  // namespace patchbay::app

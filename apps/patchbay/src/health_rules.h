// Which metrics `patchbay status` shows, and when one of them is a problem.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace patchbay::app {

enum class Reading : uint8_t {
  now,         // a gauge, as it is
  increase,    // of a counter between the two readings
  per_second,  // the same, divided by the time between them
  max,         // figures only: the largest series
  mean_ms,     // figures only: of a histogram in seconds, its mean between the readings
};

// Each series of the metric is judged by itself, so that a finding names its labels.
struct HealthRule {
  std::string_view metric;
  Reading reading;           // now, increase or per_second
  double above;              // a problem beyond this
  std::string_view problem;  // '#' stands for the figure
  std::string_view advice;
  std::string_view only = {};  // judges only series that have a label with this value
  // What the counter has come to since the start, in words. An increase needs none: its problem fits.
  std::string_view past = {};
};

// Figures of one area stand together; each is read over all series of its metric.
struct Figure {
  std::string_view area;
  std::string_view metric;
  Reading reading;
  std::string_view text;  // '#' stands for the figure
};

std::span<const HealthRule> health_rules();  // the most serious first
std::span<const Figure> health_screen();

}  // namespace patchbay::app

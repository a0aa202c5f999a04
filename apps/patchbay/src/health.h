// Judges a server's health from two readings of its metrics. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "metric_samples.h"

namespace patchbay::app {

// Two readings of one server, so that counters become rates.
struct MetricReadings {
  MetricSamples before;
  MetricSamples after;
  double seconds = 1;  // between the two
};

struct HealthFinding {
  std::string problem;  // one sentence with the figure and the labels of its series
  std::string advice;   // what the operator can do
};

// What is wrong now, the most serious first. A metric that the server does not have is no finding.
std::vector<HealthFinding> find_problems(const MetricReadings& readings);

// What has gone wrong since the server started and does not go on: one finding for each counter of a rule
// that find_problems does not report, with the sum of its series. Much is counted only when a call ends, so
// the time between two readings rarely shows it. These are no problems: they may be long over.
std::vector<HealthFinding> find_past(const MetricReadings& readings);

// "Since the start 3 h ago"; without the time when the server does not export it.
std::string since_start(const MetricReadings& readings);

// The figures of the screen: rows of an area and its text. Areas without any metric are left out.
std::vector<std::vector<std::string>> health_figures(const MetricReadings& readings);

}  // namespace patchbay::app

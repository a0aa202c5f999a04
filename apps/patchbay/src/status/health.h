// Evaluates a server's health from two readings of its metrics. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "status/metric_samples.h"

namespace patchbay::app {

// Two readings of one server, from which rates of counters are computed.
struct MetricReadings {
  MetricSamples before;
  MetricSamples after;
  double seconds = 1;  // between the two
};

struct HealthFinding {
  std::string problem;  // one sentence with the figure and the labels of its series
  std::string advice;   // what the operator should do
};

// Returns the current problems, the most serious first. Metrics that the server does not export are ignored.
std::vector<HealthFinding> find_problems(const MetricReadings& readings);

// Returns what went wrong earlier, since the server started: one finding for each rule with a counter that
// find_problems does not report, with the sum of its series. They need no action, but are shown because much
// is counted only when a call ends, so that two readings rarely show it.
std::vector<HealthFinding> find_past(const MetricReadings& readings);

// "Since the start 3 h ago"; without the time when the server does not export its uptime.
std::string since_start(const MetricReadings& readings);

// The rows of the screen, {area, text}. Areas without metrics are omitted.
std::vector<std::vector<std::string>> health_figures(const MetricReadings& readings);

}  // namespace patchbay::app

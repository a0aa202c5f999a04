#include "health.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "health_rules.h"

namespace patchbay::app {
namespace {

// "12", "0.3", "1250000".
std::string print(double value) {
  char text[32];
  const bool whole = std::fabs(value - std::round(value)) < 0.005 || std::fabs(value) >= 100;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.2g", value);
  return text;
}

std::string print(const MetricLabels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

std::string filled(std::string_view pattern, double value) {
  const size_t at = pattern.find('#');
  if (at == std::string_view::npos) return std::string(pattern);
  return std::string(pattern.substr(0, at)) + print(value) + std::string(pattern.substr(at + 1));
}

bool has_value(const MetricLabels& labels, std::string_view value) {
  return std::any_of(labels.begin(), labels.end(), [&](const auto& label) { return label.second == value; });
}

double value_before(const MetricReadings& readings, std::string_view metric, const MetricLabels& labels) {
  for (const MetricSample& sample : readings.before.of(metric)) {
    if (sample.labels == labels) return sample.value;
  }
  return 0;
}

// A histogram's mean over the interval, 0 when nothing was added.
double mean(const MetricReadings& readings, std::string_view metric) {
  const std::string sum = std::string(metric) + "_sum", count = std::string(metric) + "_count";
  const double counted = readings.after.sum(count) - readings.before.sum(count);
  return counted > 0 ? (readings.after.sum(sum) - readings.before.sum(sum)) / counted : 0;
}

double read(const MetricReadings& readings, std::string_view metric, Reading reading,
            const MetricSample& sample) {
  if (reading == Reading::now) return sample.value;
  const double increase = sample.value - value_before(readings, metric, sample.labels);
  return reading == Reading::per_second ? increase / readings.seconds : increase;
}

double read_all(const MetricReadings& readings, const Figure& figure) {
  switch (figure.reading) {
    case Reading::now:
      return readings.after.sum(figure.metric);
    case Reading::max:
      return readings.after.max(figure.metric);
    case Reading::mean_ms:
      return 1000 * mean(readings, figure.metric);
    case Reading::increase:
    case Reading::per_second:
      break;
  }
  const double increase = readings.after.sum(figure.metric) - readings.before.sum(figure.metric);
  return figure.reading == Reading::per_second ? increase / readings.seconds : increase;
}

bool has(const MetricSamples& samples, const Figure& figure) {
  return samples.has(figure.metric) ||
         (figure.reading == Reading::mean_ms && samples.has(std::string(figure.metric) + "_count"));
}

}  // namespace

std::vector<HealthFinding> find_problems(const MetricReadings& readings) {
  std::vector<HealthFinding> findings;
  for (const HealthRule& rule : health_rules()) {
    for (const MetricSample& sample : readings.after.of(rule.metric)) {
      const double value = read(readings, rule.metric, rule.reading, sample);
      if (value <= rule.above || !(rule.only.empty() || has_value(sample.labels, rule.only))) continue;
      const std::string labels = print(sample.labels);
      findings.push_back({filled(rule.problem, value) + (labels.empty() ? "" : " (" + labels + ")"),
                          std::string(rule.advice)});
    }
  }
  return findings;
}

std::vector<std::vector<std::string>> health_figures(const MetricReadings& readings) {
  std::vector<std::vector<std::string>> rows;
  for (const Figure& figure : health_screen()) {
    if (!has(readings.after, figure)) continue;
    const std::string text = filled(figure.text, read_all(readings, figure));
    if (!rows.empty() && rows.back()[0] == figure.area)
      rows.back()[1] += ", " + text;
    else
      rows.push_back({std::string(figure.area), text});
  }
  return rows;
}

}  // namespace patchbay::app

#include "status/health.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "status/health_rules.h"

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

std::string fill(std::string_view pattern, double value) {
  const size_t at = pattern.find('#');
  if (at == std::string_view::npos) return std::string(pattern);
  return std::string(pattern.substr(0, at)) + print(value) + std::string(pattern.substr(at + 1));
}

// Replaces '$name' and '$name%' by the metric's current value, in ms if its name ends in _seconds; "?" when
// the server does not export it.
std::string fill_metrics(std::string_view pattern, const MetricSamples& samples) {
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyz_";
  std::string text;
  for (size_t at = pattern.find('$'); at != std::string_view::npos; at = pattern.find('$')) {
    text += pattern.substr(0, at);
    pattern.remove_prefix(at + 1);
    const std::string_view name = pattern.substr(0, pattern.find_first_not_of(kName));
    pattern.remove_prefix(name.size());
    const bool is_percent = pattern.starts_with('%');
    if (is_percent) pattern.remove_prefix(1);
    double value = samples.sum(name);
    if (is_percent) value = std::round(100 * value);
    if (name.ends_with("_seconds")) value *= 1000;
    text += samples.has(name) ? print(value) : "?";
  }
  return text + std::string(pattern);
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

// A histogram's mean over the interval; 0 without new samples.
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

std::string in_brackets(const std::string& text) { return text.empty() ? text : " (" + text + ")"; }

// The series that a rule applies to.
std::vector<const MetricSample*> samples_of(const MetricReadings& readings, const HealthRule& rule) {
  std::vector<const MetricSample*> all;
  for (const MetricSample& sample : readings.after.of(rule.metric))
    if (rule.only.empty() || has_value(sample.labels, rule.only)) all.push_back(&sample);
  return all;
}

bool is_problem(const MetricReadings& readings, const HealthRule& rule, const MetricSample& sample) {
  return read(readings, rule.metric, rule.reading, sample) > rule.above;
}

// "2 calls went to the next trunk in the last 1 s, 12 since the start (trunk a)".
std::string problem_text(const MetricReadings& readings, const HealthRule& rule, const MetricSample& sample) {
  const double value = read(readings, rule.metric, rule.reading, sample);
  std::string text = fill(rule.problem, value);
  if (rule.reading == Reading::increase) {
    text += " in the last " + print(readings.seconds) + " s";
    if (sample.value > value) text += ", " + print(sample.value) + " since the start";
  }
  return text + in_brackets(print(sample.labels));
}

std::string_view past_text(const HealthRule& rule) {
  return rule.reading == Reading::increase ? rule.problem : rule.past;
}

// In whole units of a fitting size: "50 s", "3 h", "2 days".
std::string print_duration(double seconds) {
  if (seconds < 120) return print(std::floor(seconds)) + " s";
  if (seconds < 2 * 3600) return print(std::floor(seconds / 60)) + " min";
  if (seconds < 2 * 86'400) return print(std::floor(seconds / 3600)) + " h";
  return print(std::floor(seconds / 86'400)) + " days";
}

}  // namespace

std::vector<HealthFinding> find_problems(const MetricReadings& readings) {
  std::vector<HealthFinding> findings;
  for (const HealthRule& rule : health_rules()) {
    for (const MetricSample* sample : samples_of(readings, rule))
      if (is_problem(readings, rule, *sample))
        findings.push_back(
            {problem_text(readings, rule, *sample), fill_metrics(rule.advice, readings.after)});
  }
  return findings;
}

std::vector<HealthFinding> find_past(const MetricReadings& readings) {
  std::vector<HealthFinding> findings;
  for (const HealthRule& rule : health_rules()) {
    const auto samples = samples_of(readings, rule);
    if (past_text(rule).empty() || samples.empty()) continue;
    const bool goes_on = std::any_of(samples.begin(), samples.end(), [&](const MetricSample* sample) {
      return is_problem(readings, rule, *sample);
    });
    double sum = 0;
    for (const MetricSample* sample : samples) sum += sample->value;
    if (goes_on || sum <= rule.above) continue;
    const MetricSample& most =
        **std::max_element(samples.begin(), samples.end(),
                           [](const auto* one, const auto* other) { return one->value < other->value; });
    std::string labels = print(most.labels);
    if (most.value < sum && !labels.empty()) labels = "most: " + labels;
    findings.push_back(
        {fill(past_text(rule), sum) + in_brackets(labels), fill_metrics(rule.advice, readings.after)});
  }
  return findings;
}

std::string since_start(const MetricReadings& readings) {
  constexpr std::string_view kUptime = "patchbay_core_uptime_seconds";
  if (!readings.after.has(kUptime)) return "Since the start";
  return "Since the start " + print_duration(readings.after.sum(kUptime)) + " ago";
}

std::vector<std::vector<std::string>> health_figures(const MetricReadings& readings) {
  std::vector<std::vector<std::string>> rows;
  for (const Figure& figure : health_screen()) {
    if (!has(readings.after, figure)) continue;
    const std::string text = fill(figure.text, read_all(readings, figure));
    if (!rows.empty() && rows.back()[0] == figure.area)
      rows.back()[1] += ", " + text;
    else
      rows.push_back({std::string(figure.area), text});
  }
  return rows;
}

}  // namespace patchbay::app

#include "status/metric_samples.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace patchbay::app {
namespace {

// Removes and returns the part of `text` before `end`, removing `end`, too; all of it when `end` is missing.
std::string_view take_until(std::string_view& text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

// Removes and returns a label's value up to its closing quote; nullopt when the quote is missing.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string value;
  while (!text.empty() && text.front() != '"') {
    const bool escaped = text.front() == '\\' && text.size() > 1;
    const char c = text[escaped ? 1 : 0];
    value += escaped && c == 'n' ? '\n' : c;
    text.remove_prefix(escaped ? 2 : 1);
  }
  if (text.empty()) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

// Removes and parses name="value",name="value"}; nullopt for anything else.
std::optional<MetricLabels> take_labels(std::string_view& text) {
  MetricLabels labels;
  while (!text.empty() && text.front() != '}') {
    const std::string name(take_until(text, '='));
    if (text.empty() || text.front() != '"') return std::nullopt;
    text.remove_prefix(1);
    auto value = take_quoted(text);
    if (!value) return std::nullopt;
    labels[name] = *std::move(value);
    if (!text.empty() && text.front() == ',') text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  text.remove_prefix(1);
  return labels;
}

std::optional<double> number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

MetricSamples MetricSamples::parse(std::string_view text) {
  MetricSamples samples;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.empty() || line.front() == '#') continue;
    const size_t end_of_name = line.find_first_of(" {");
    if (end_of_name == std::string_view::npos) continue;
    const std::string name(line.substr(0, end_of_name));
    const bool labelled = line[end_of_name] == '{';
    line.remove_prefix(end_of_name + 1);
    auto labels = labelled ? take_labels(line) : MetricLabels{};
    const auto value = number(line);
    if (labels && value) samples.by_name_[name].push_back({*std::move(labels), *value});
  }
  return samples;
}

const std::vector<MetricSample>& MetricSamples::of(std::string_view name) const {
  static const std::vector<MetricSample> none;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? none : found->second;
}

double MetricSamples::sum(std::string_view name) const {
  double sum = 0;
  for (const MetricSample& sample : of(name)) sum += sample.value;
  return sum;
}

double MetricSamples::max(std::string_view name) const {
  double most = 0;
  for (const MetricSample& sample : of(name)) most = std::max(most, sample.value);
  return most;
}

}  // namespace patchbay::app

#include "observe/exposition.h"

#include <patchbay/text.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "observe/limits.h"

namespace patchbay::core::observe {
namespace {

bool is_name(std::string_view name, bool label) {
  const auto letter = [&](char c) { return is_letter(c) || c == '_' || (c == ':' && !label); };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || is_digit(c); });
}

void append_metric_text(std::string& out, std::string_view text, bool quotes) {
  for (char c : text) {
    if (c == '\\' || (c == '"' && quotes)) out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
}

std::string print(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, static_cast<size_t>(end - digits)};
}

void line(std::string& out, std::string_view name, std::string_view suffix, const std::string& labels,
          const std::string& value) {
  (out += name) += suffix;
  if (!labels.empty()) out += "{" + labels + "}";
  out += " " + value + "\n";
}

}  // namespace

bool is_metric(std::string_view name, const Labels& labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string& label = labels[i].first;
    if (!is_name(label, true) || label.substr(0, 2) == "__" || label == "le") return false;
    if (i > 0 && labels[i - 1].first == label) return false;
  }
  return is_name(name, false);
}

std::string print_labels(const Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    if (!out.empty()) out += ',';
    out += name + "=\"";
    append_metric_text(out, std::string_view(value).substr(0, kMaxLabelValueBytes), true);
    out += '"';
  }
  return out;
}

void Exposition::counter(std::string_view name, std::string_view help, double value, Labels labels) {
  std::sort(labels.begin(), labels.end());
  if (is_metric(name, labels)) this->value(Kind::counter, name, help, print_labels(labels), value);
}

void Exposition::gauge(std::string_view name, std::string_view help, double value, Labels labels) {
  std::sort(labels.begin(), labels.end());
  if (is_metric(name, labels)) this->value(Kind::gauge, name, help, print_labels(labels), value);
}

void Exposition::histogram(std::string_view name, std::string_view help, const Bounds& bounds,
                           const std::vector<uint64_t>& counts, double sum, Labels labels) {
  std::sort(labels.begin(), labels.end());
  if (is_metric(name, labels)) histogram(name, help, print_labels(labels), bounds, counts, sum);
}

void Exposition::value(Kind kind, std::string_view name, std::string_view help, const std::string& labels,
                       double value) {
  if (std::string* out = begin(kind, name, help, labels)) line(*out, name, "", labels, print(value));
}

void Exposition::histogram(std::string_view name, std::string_view help, const std::string& labels,
                           const Bounds& bounds, const std::vector<uint64_t>& counts, double sum) {
  if (counts.size() != bounds.size() + 1) return;
  std::string* out = begin(Kind::histogram, name, help, labels);
  if (!out) return;
  const std::string before = labels.empty() ? "" : labels + ",";
  uint64_t total = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    const std::string bound = i < bounds.size() ? print(bounds[i]) : "+Inf";
    line(*out, name, "_bucket", before + "le=\"" + bound + "\"", std::to_string(total));
  }
  line(*out, name, "_sum", labels, print(sum));
  line(*out, name, "_count", labels, std::to_string(total));
}

std::string Exposition::text() const {
  constexpr const char* kTypes[] = {"counter", "gauge", "histogram"};
  std::string out;
  for (const auto& [name, family] : families_) {
    out += "# HELP " + name + " ";
    append_metric_text(out, family.help, false);
    out += "\n# TYPE " + name + " " + kTypes[static_cast<size_t>(family.kind)] + "\n";
    for (const auto& [labels, lines] : family.lines) out += lines;
  }
  return out;
}

std::string* Exposition::begin(Kind kind, std::string_view name, std::string_view help,
                               const std::string& labels) {
  auto family = families_.find(name);
  if (family == families_.end()) family = families_.emplace(name, Family{kind, std::string(help), {}}).first;
  if (family->second.kind != kind) return nullptr;
  const auto [series, added] = family->second.lines.try_emplace(labels);
  return added ? &series->second : nullptr;
}

}  // namespace patchbay::core::observe

#include "observe/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace patchbay::core::observe {
namespace {

constexpr size_t kLongestValue = 200;

bool is_name(std::string_view name, bool label) {
  const auto letter = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c == ':' && !label);
  };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool are_labels(const Labels& labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string& name = labels[i].first;
    if (!is_name(name, true) || name.substr(0, 2) == "__" || name == "le") return false;
    if (i > 0 && labels[i - 1].first == name) return false;
  }
  return true;
}

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (char c : text) {
    if (c == '\\' || (c == '"' && quotes)) out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
}

// a="x",b="y"
std::string print(const Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    if (!out.empty()) out += ',';
    out += name + "=\"";
    append_escaped(out, std::string_view(value).substr(0, kLongestValue), true);
    out += '"';
  }
  return out;
}

std::string print(double value) {
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

void histogram(std::string& out, std::string_view name, const std::string& labels, const Bounds& bounds,
               const Series& series) {
  const std::vector<uint64_t> counts = series.buckets();
  const std::string before = labels.empty() ? "" : labels + ",";
  for (size_t i = 0; i < counts.size(); ++i)
    line(out, name, "_bucket", before + "le=\"" + (i < bounds.size() ? print(bounds[i]) : "+Inf") + "\"",
         std::to_string(counts[i]));
  line(out, name, "_sum", labels, print(series.value()));
  line(out, name, "_count", labels, std::to_string(counts.back()));
}

}  // namespace

Result<Metrics::Entry*> Metrics::find(Kind kind, std::string_view name, std::string_view help, Labels labels,
                                      const Bounds& bounds) {
  std::sort(labels.begin(), labels.end());
  if (!is_name(name, false) || !are_labels(labels))
    return {Code::invalid, "a metric or one of its labels has no name Prometheus takes"};
  const std::lock_guard lock(mutex_);
  auto family = families_.find(name);
  if (family != families_.end() && family->second.kind != kind)
    return {Code::conflict, "the metric " + std::string(name) + " is of another kind"};
  const std::string key = print(labels);
  if (family != families_.end()) {
    const auto known = family->second.series.find(key);
    if (known != family->second.series.end()) return &known->second;
  }
  if (size_ == kMostSeries) return {Code::exhausted, "there are too many series of metrics"};
  if (family == families_.end())
    family = families_.emplace(name, Family{kind, std::string(help), bounds, {}}).first;
  auto series = std::make_unique<Series>(kind, &family->second.bounds);
  table_[size_].store(series.get(), std::memory_order_release);
  return &family->second.series.emplace(key, Entry{++size_, std::move(series)}).first->second;
}

Result<Series*> Metrics::series(Kind kind, std::string_view name, std::string_view help, Labels labels,
                                const Bounds& bounds) {
  PB_TRY_VALUE(const Entry* entry, find(kind, name, help, std::move(labels), bounds));
  return entry->series.get();
}

Result<uint64_t> Metrics::handle(Kind kind, std::string_view name, std::string_view help, Labels labels,
                                 const Bounds& bounds) {
  PB_TRY_VALUE(const Entry* entry, find(kind, name, help, std::move(labels), bounds));
  return entry->handle;
}

Series* Metrics::at(uint64_t handle) const noexcept {
  if (handle == 0 || handle > kMostSeries) return nullptr;
  return table_[handle - 1].load(std::memory_order_acquire);
}

std::string Metrics::text() const {
  constexpr const char* kTypes[] = {"counter", "gauge", "histogram"};
  std::string out;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, family] : families_) {
    out += "# HELP " + name + " ";
    append_escaped(out, family.help, false);
    out += "\n# TYPE " + name + " " + kTypes[static_cast<size_t>(family.kind)] + "\n";
    for (const auto& [labels, entry] : family.series) {
      if (family.kind == Kind::histogram)
        histogram(out, name, labels, family.bounds, *entry.series);
      else
        line(out, name, "", labels, print(entry.series->value()));
    }
  }
  return out;
}

}  // namespace patchbay::core::observe

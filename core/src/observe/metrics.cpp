#include "observe/metrics.h"

#include <algorithm>

namespace patchbay::core::observe {

Result<Metrics::Entry*> Metrics::find(Kind kind, std::string_view name, std::string_view help, Labels labels,
                                      const Bounds& bounds) {
  std::sort(labels.begin(), labels.end());
  if (!is_metric(name, labels))
    return {Code::invalid, "a metric or one of its labels has no name Prometheus takes"};
  const std::lock_guard lock(mutex_);
  auto family = families_.find(name);
  if (family != families_.end() && family->second.kind != kind)
    return {Code::conflict, "the metric " + std::string(name) + " is of another kind"};
  const std::string key = print_labels(labels);
  if (family != families_.end()) {
    const auto known = family->second.series.find(key);
    if (known != family->second.series.end()) return &known->second;
  }
  if (size_ == kMaxSeries) return {Code::exhausted, "there are too many series of metrics"};
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
  if (handle == 0 || handle > kMaxSeries) return nullptr;
  return table_[handle - 1].load(std::memory_order_acquire);
}

MetricSource Metrics::add_source(std::function<void(Exposition&)> source) {
  const std::lock_guard lock(sources_mutex_);
  const uint64_t id = ++last_source_;
  sources_.emplace(id, std::move(source));
  return MetricSource(*this, id);
}

void Metrics::remove_source(uint64_t id) {
  const std::lock_guard lock(sources_mutex_);
  sources_.erase(id);
}

std::string Metrics::text() const {
  Exposition out;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, family] : families_) {
      for (const auto& [labels, entry] : family.series) {
        const Series& series = *entry.series;
        if (family.kind == Kind::histogram)
          out.histogram(name, family.help, labels, family.bounds, series.buckets(), series.value());
        else
          out.value(family.kind, name, family.help, labels, series.value());
      }
    }
  }
  const std::lock_guard lock(sources_mutex_);
  for (const auto& [id, source] : sources_) source(out);
  return out.text();
}

void MetricSource::reset() {
  if (metrics_) std::exchange(metrics_, nullptr)->remove_source(id_);
}

}  // namespace patchbay::core::observe

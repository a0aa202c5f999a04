#include <algorithm>
#include <cmath>

#include "observe/metrics.h"

namespace patchbay::core::observe {

const Bounds& seconds_bounds() {
  static const Bounds kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                 0.5,   1,      2.5,   5,    10,    30,   60};
  return kBounds;
}

Series::Series(Kind kind, const Bounds* bounds) : bounds_(bounds), kind_(kind) {
  if (kind == Kind::histogram) buckets_ = std::make_unique<std::atomic<uint64_t>[]>(bounds->size() + 1);
}

void Series::raise(double by) noexcept {
  double value = value_.load(std::memory_order_relaxed);
  while (!value_.compare_exchange_weak(value, value + by, std::memory_order_relaxed)) {
  }
}

void Series::add(double value) noexcept {
  if (std::isnan(value) || (kind_ == Kind::counter && value < 0)) return;
  raise(value);
  if (kind_ != Kind::histogram) return;
  const auto bound = std::lower_bound(bounds_->begin(), bounds_->end(), value);
  buckets_[static_cast<size_t>(bound - bounds_->begin())].fetch_add(1, std::memory_order_relaxed);
}

void Series::set(double value) noexcept {
  if (kind_ == Kind::gauge && !std::isnan(value)) value_.store(value, std::memory_order_relaxed);
}

void Series::merge(double sum, const std::vector<uint64_t>& counts) noexcept {
  if (!buckets_ || std::isnan(sum) || counts.size() != bounds_->size() + 1) return;
  raise(sum);
  for (size_t i = 0; i < counts.size(); ++i) buckets_[i].fetch_add(counts[i], std::memory_order_relaxed);
}

std::vector<uint64_t> Series::buckets() const {
  std::vector<uint64_t> counts;
  for (size_t i = 0; buckets_ && i <= bounds_->size(); ++i)
    counts.push_back(buckets_[i].load(std::memory_order_relaxed));
  return counts;
}

}  // namespace patchbay::core::observe

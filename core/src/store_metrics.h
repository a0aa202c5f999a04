// StoreMetrics: what /metrics tells about the store, as patchbay_store_*.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "observe/metrics.h"
#include "retention.h"
#include "store/store.h"

namespace patchbay::core {

// Adds its samples whenever the metrics are asked for. What is pending per consumer takes a query: it is as
// old as the last time they were asked.
class StoreMetrics {
 public:
  // Borrows all. `now_ms` is the wall clock.
  StoreMetrics(observe::Metrics& metrics, Store& store, const Retention& retention,
               std::function<int64_t()> now_ms);

 private:
  class Consumers;
  void add(observe::Exposition& out);

  Store& store_;
  const Retention& retention_;
  const std::function<int64_t()> now_ms_;
  const std::shared_ptr<Consumers> consumers_;  // shared with a query under way
  const observe::MetricSource source_;          // last, so that it ends first
};

}  // namespace patchbay::core

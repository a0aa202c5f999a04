// StoreMetrics: the store's metrics, `patchbay_store_*`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "observe/metrics.h"
#include "store/event_retention.h"
#include "store/store.h"

namespace patchbay::core {

// Adds its samples whenever the metrics are read. Counts of pending events take a query, so each read shows
// those of the previous read.
class StoreMetrics {
 public:
  // Borrows all. `now_ms` is the wall clock.
  StoreMetrics(observe::Metrics& metrics, Store& store, const EventRetention& retention,
               std::function<int64_t()> now_ms);

 private:
  class Consumers;
  void add(observe::Exposition& out);

  Store& store_;
  const EventRetention& retention_;
  const std::function<int64_t()> now_ms_;
  const std::shared_ptr<Consumers> consumers_;  // shared with a running query
  const observe::MetricSource source_;          // last, so that it is destroyed first
};

}  // namespace patchbay::core

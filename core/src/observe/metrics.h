// Counters, gauges and histograms, printed as Prometheus text. prometheus-cpp is not used because its
// development package brings a web server and curl, and because it has no handles that a C table could carry.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/exposition.h"
#include "observe/limits.h"
#include "patchbay/result.h"

namespace patchbay::core::observe {

// A time series (for a histogram, its group of series). [any, media too] add() and set() take no lock and
// allocate nothing. They ignore NaN, and add() ignores a negative step of a counter.
class Series {
 public:
  Series(Kind kind, const Bounds* bounds);

  void add(double value) noexcept;
  void set(double value) noexcept;  // gauges only
  // Adds what another histogram with the same bounds has gained: the sum, and each bucket's own count.
  void merge(double sum, const std::vector<uint64_t>& counts) noexcept;
  double value() const noexcept { return value_.load(std::memory_order_relaxed); }  // a histogram's sum

  // Each bucket's own count, the last for +Inf; empty unless a histogram.
  std::vector<uint64_t> buckets() const;

 private:
  void raise(double by) noexcept;

  alignas(64) std::atomic<double> value_{0};  // first, so that two series never share a cache line
  std::unique_ptr<std::atomic<uint64_t>[]> buckets_;
  const Bounds* bounds_;  // borrowed from the family
  const Kind kind_;
};

class Metrics;

// Keeps a source of Metrics registered. reset() removes it and waits for a text() that is calling it.
class [[nodiscard]] MetricSource {
 public:
  MetricSource() = default;
  MetricSource(MetricSource&& other) noexcept
      : metrics_(std::exchange(other.metrics_, nullptr)), id_(other.id_) {}
  MetricSource& operator=(MetricSource&& other) noexcept {
    reset();
    metrics_ = std::exchange(other.metrics_, nullptr);
    id_ = other.id_;
    return *this;
  }
  ~MetricSource() { reset(); }
  void reset();

 private:
  friend class Metrics;
  MetricSource(Metrics& metrics, uint64_t id) : metrics_(&metrics), id_(id) {}
  Metrics* metrics_ = nullptr;  // borrowed, must outlive this
  uint64_t id_ = 0;
};

// All series of the process. They are never removed, so a pointer stays valid as long as this object.
class Metrics {
 public:
  // Finds or creates the series with this name and these labels. Code::invalid: Prometheus would reject the
  // name; Code::conflict: the name has another kind; Code::exhausted: there are kMaxSeries.
  Result<Series*> series(Kind kind, std::string_view name, std::string_view help, Labels labels = {},
                         const Bounds& bounds = seconds_bounds());

  // The same as a handle for the C tables. at() takes no lock; it returns nullptr for 0 or an unknown handle.
  Result<uint64_t> handle(Kind kind, std::string_view name, std::string_view help, Labels labels = {},
                          const Bounds& bounds = seconds_bounds());
  Series* at(uint64_t handle) const noexcept;

  // Calls `source` in each text(), on that thread, to add samples of values that are counted elsewhere
  // (queues, the store). Sources run one at a time. They must be quick, and must neither block nor call
  // Metrics.
  MetricSource add_source(std::function<void(Exposition&)> source);

  // [any] All series and the samples of the sources, as Prometheus text; see Exposition::text().
  std::string text() const;

 private:
  friend class MetricSource;
  struct Entry {
    uint64_t handle;
    std::unique_ptr<Series> series;
  };
  struct Family {
    Kind kind;
    std::string help;
    Bounds bounds;
    std::map<std::string, Entry> series;  // by printed labels
  };

  Result<Entry*> find(Kind kind, std::string_view name, std::string_view help, Labels labels,
                      const Bounds& bounds);
  void remove_source(uint64_t id);

  mutable std::mutex mutex_;  // guards families_ and size_
  std::map<std::string, Family, std::less<>> families_;
  size_t size_ = 0;
  std::array<std::atomic<Series*>, kMaxSeries> table_{};

  mutable std::mutex sources_mutex_;  // guards the members below; held while sources run
  std::map<uint64_t, std::function<void(Exposition&)>> sources_;
  uint64_t last_source_ = 0;
};

}  // namespace patchbay::core::observe

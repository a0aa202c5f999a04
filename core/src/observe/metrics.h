// Counters, gauges and histograms, told as Prometheus text. Our own, because prometheus-cpp brings a web
// server and curl with its development package, and has no handle that a C table could carry.
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
#include "patchbay/result.h"

namespace patchbay::core::observe {

// One line of figures (a histogram: one group). Add and set from any thread, media loops included: no lock,
// no allocation. What is not a number is ignored, and so is a negative step of a counter.
class Series {
 public:
  Series(Kind kind, const Bounds* bounds);

  void add(double value) noexcept;
  void set(double value) noexcept;  // gauges only
  // What another histogram of the same bounds has gained: the sum, and each bucket's own count.
  void merge(double sum, const std::vector<uint64_t>& counts) noexcept;
  double value() const noexcept { return value_.load(std::memory_order_relaxed); }  // of a histogram the sum

  // Each bucket's own count, the last is for +Inf; empty unless a histogram.
  std::vector<uint64_t> buckets() const;

 private:
  void raise(double by) noexcept;

  alignas(64) std::atomic<double> value_{0};  // first, so that two series never share a cache line
  std::unique_ptr<std::atomic<uint64_t>[]> buckets_;
  const Bounds* bounds_;  // borrowed from the family
  const Kind kind_;
};

class Metrics;

// Keeps a source of Metrics registered. Ending it waits for a text() that runs the source.
class [[nodiscard]] MetricSource {
 public:
  MetricSource() = default;
  MetricSource(MetricSource&& other) noexcept
      : metrics_(std::exchange(other.metrics_, nullptr)), id_(other.id_) {}
  MetricSource& operator=(MetricSource&& other) noexcept {
    end();
    metrics_ = std::exchange(other.metrics_, nullptr);
    id_ = other.id_;
    return *this;
  }
  ~MetricSource() { end(); }
  void end();

 private:
  friend class Metrics;
  MetricSource(Metrics& metrics, uint64_t id) : metrics_(&metrics), id_(id) {}
  Metrics* metrics_ = nullptr;  // borrowed, must outlive this
  uint64_t id_ = 0;
};

// All series of the process. They are never removed, so a pointer stays good as long as this lives.
class Metrics {
 public:
  static constexpr size_t kMaxSeries = 10000;

  // The series of that name and these labels, made when new. Code::invalid for a name Prometheus would not
  // take, Code::conflict when the name is of another kind, Code::exhausted beyond kMaxSeries.
  Result<Series*> series(Kind kind, std::string_view name, std::string_view help, Labels labels = {},
                         const Bounds& bounds = seconds_bounds());

  // The same as a number that crosses a C table; at() of 0 or nonsense is nullptr. at() takes no lock.
  Result<uint64_t> handle(Kind kind, std::string_view name, std::string_view help, Labels labels = {},
                          const Bounds& bounds = seconds_bounds());
  Series* at(uint64_t handle) const noexcept;

  // Calls `source` each time text() runs, on that thread, to add samples of what is counted elsewhere anyway
  // (queues, the store). One source runs at a time. It must be quick, must not block, and must not call
  // Metrics.
  MetricSource add_source(std::function<void(Exposition&)> source);

  // [any thread] Series and what the sources add, as Prometheus text; see Exposition::text().
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
    std::map<std::string, Entry> series;  // by labels as they are printed
  };

  Result<Entry*> find(Kind kind, std::string_view name, std::string_view help, Labels labels,
                      const Bounds& bounds);
  void remove_source(uint64_t id);

  mutable std::mutex mutex_;  // guards families_ and size_
  std::map<std::string, Family, std::less<>> families_;
  size_t size_ = 0;
  std::array<std::atomic<Series*>, kMaxSeries> table_{};

  mutable std::mutex sources_mutex_;  // guards those below, and is held while sources run
  std::map<uint64_t, std::function<void(Exposition&)>> sources_;
  uint64_t last_source_ = 0;
};

}  // namespace patchbay::core::observe

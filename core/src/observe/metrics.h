// Counters, gauges and histograms, told as Prometheus text. Our own, because prometheus-cpp brings a web
// server and curl with its development package, and has no handle that a C table could carry.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/result.h"

namespace patchbay::core::observe {

enum class Kind : uint8_t { counter, gauge, histogram };  // values are those of PB_METRIC_*

// Pairs of name and value. Values should come from a small set: each combination is a series of its own.
using Labels = std::vector<std::pair<std::string, std::string>>;

// The upper bounds of a histogram's buckets, ascending, without +Inf. The default fits seconds.
using Bounds = std::vector<double>;
const Bounds& seconds_bounds();

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

  // Cumulated counts per bound, the last is for +Inf.
  std::vector<uint64_t> buckets() const;

 private:
  void raise(double by) noexcept;

  alignas(64) std::atomic<double> value_{0};  // first, so that two series never share a cache line
  std::unique_ptr<std::atomic<uint64_t>[]> buckets_;
  const Bounds* bounds_;  // borrowed from the family
  const Kind kind_;
};

// All series of the process. They are never removed, so a pointer stays good as long as this lives.
class Metrics {
 public:
  static constexpr size_t kMostSeries = 10000;

  // The series of that name and these labels, made when new. Code::invalid for a name Prometheus would not
  // take, Code::conflict when the name is of another kind, Code::exhausted beyond kMostSeries.
  Result<Series*> series(Kind kind, std::string_view name, std::string_view help, Labels labels = {},
                         const Bounds& bounds = seconds_bounds());

  // The same as a number that crosses a C table; at() of 0 or nonsense is nullptr. at() takes no lock.
  Result<uint64_t> handle(Kind kind, std::string_view name, std::string_view help, Labels labels = {},
                          const Bounds& bounds = seconds_bounds());
  Series* at(uint64_t handle) const noexcept;

  // Prometheus text format 0.0.4, families and series in the order of their names.
  std::string text() const;

 private:
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

  mutable std::mutex mutex_;  // guards families_ and size_
  std::map<std::string, Family, std::less<>> families_;
  size_t size_ = 0;
  std::array<std::atomic<Series*>, kMostSeries> table_{};
};

}  // namespace patchbay::core::observe

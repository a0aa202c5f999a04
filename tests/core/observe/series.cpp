#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "observe/metrics.h"

using namespace patchbay::core::observe;

TEST_CASE("counters only go up, gauges go up and down") {
  Series counter(Kind::counter, nullptr), gauge(Kind::gauge, nullptr);
  counter.add(2);
  counter.add(-1);
  counter.add(std::nan(""));
  counter.set(9);
  CHECK(counter.value() == 2);
  gauge.add(2);
  gauge.add(-5);
  CHECK(gauge.value() == -3);
  gauge.set(7);
  gauge.set(std::nan(""));
  CHECK(gauge.value() == 7);
}

TEST_CASE("a bucket of a histogram includes its upper bound") {
  const Bounds bounds = {1, 5};
  Series series(Kind::histogram, &bounds);
  for (double value : {0.5, 1.0, 3.0, 5.0, 6.0, std::numeric_limits<double>::infinity()}) series.add(value);
  CHECK(series.buckets() == std::vector<uint64_t>{2, 2, 2});
}

TEST_CASE("concurrent adds lose nothing") {
  Series counter(Kind::counter, nullptr);
  Series histogram(Kind::histogram, &seconds_bounds());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        counter.add(1);
        histogram.add(0.02);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(counter.value() == 80000);
  CHECK(histogram.buckets()[4] == 80000);  // the bucket up to 0.025
}

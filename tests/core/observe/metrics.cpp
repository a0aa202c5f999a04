#include "observe/metrics.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "observe/limits.h"

using namespace patchbay;
using namespace patchbay::core::observe;

TEST_CASE("the same name and labels are the same series") {
  Metrics metrics;
  Series* one =
      metrics.series(Kind::counter, "patchbay_calls_total", "Calls", {{"a", "1"}, {"b", "2"}}).value();
  CHECK(one == metrics.series(Kind::counter, "patchbay_calls_total", "", {{"b", "2"}, {"a", "1"}}).value());
  CHECK(one != metrics.series(Kind::counter, "patchbay_calls_total", "", {{"a", "1"}}).value());
  const uint64_t handle =
      metrics.handle(Kind::counter, "patchbay_calls_total", "", {{"a", "1"}, {"b", "2"}}).value();
  CHECK(metrics.at(handle) == one);
  CHECK(metrics.at(0) == nullptr);
  CHECK(metrics.at(3) == nullptr);
  CHECK(metrics.at(UINT64_MAX) == nullptr);
}

TEST_CASE("names that Prometheus would reject and changes of kind are errors") {
  Metrics metrics;
  CHECK(metrics.series(Kind::gauge, "g", "").ok());
  CHECK(metrics.series(Kind::counter, "g", "").error().code == Code::conflict);
  for (const char* bad : {"", "1a", "a-b", "a b", "a\n"})
    CHECK(metrics.series(Kind::gauge, bad, "").error().code == Code::invalid);
  for (const char* bad : {"", "le", "__x", "a:b", "a-b"})
    CHECK(metrics.series(Kind::gauge, "ok", "", {{bad, "x"}}).error().code == Code::invalid);
  CHECK_FALSE(metrics.series(Kind::gauge, "ok", "", {{"a", "1"}, {"a", "2"}}).ok());
}

TEST_CASE("the text is in the Prometheus format") {
  Metrics metrics;
  metrics.series(Kind::counter, "b_total", "Two\nlines \\ here", {{"reason", "say \"no\"\n\\"}})
      .value()
      ->add(3);
  metrics.series(Kind::gauge, "a", "A gauge").value()->set(1.5);
  Series* seconds = metrics.series(Kind::histogram, "c_seconds", "Times", {{"x", "y"}}, {0.5, 1}).value();
  seconds->add(0.25);
  seconds->add(2);
  CHECK(metrics.text() ==
        "# HELP a A gauge\n# TYPE a gauge\na 1.5\n"
        "# HELP b_total Two\\nlines \\\\ here\n# TYPE b_total counter\n"
        "b_total{reason=\"say \\\"no\\\"\\n\\\\\"} 3\n"
        "# HELP c_seconds Times\n# TYPE c_seconds histogram\n"
        "c_seconds_bucket{x=\"y\",le=\"0.5\"} 1\nc_seconds_bucket{x=\"y\",le=\"1\"} 1\n"
        "c_seconds_bucket{x=\"y\",le=\"+Inf\"} 2\nc_seconds_sum{x=\"y\"} 2.25\nc_seconds_count{x=\"y\"} 2\n");
}

TEST_CASE("the number of series is bounded, whatever labels plugins make up") {
  Metrics metrics;
  for (size_t i = 0; i < kMaxSeries; ++i)
    CHECK(metrics.series(Kind::counter, "flood", "", {{"n", std::to_string(i)}}).ok());
  CHECK(metrics.series(Kind::counter, "flood", "", {{"n", "more"}}).error().code == Code::exhausted);
  CHECK(metrics.series(Kind::counter, "flood", "", {{"n", "7"}}).ok());
}

TEST_CASE("series are created, used and printed concurrently") {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&metrics, t] {
      for (int i = 0; i < 200; ++i) {
        const auto handle = metrics.handle(Kind::counter, "shared_total", "", {{"n", std::to_string(i)}});
        if (Series* series = handle ? metrics.at(handle.value()) : nullptr) series->add(1);
        if (t == 0 && i % 50 == 0) metrics.text();
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(metrics.series(Kind::counter, "shared_total", "", {{"n", "7"}}).value()->value() == 4);
}

TEST_CASE("sources are called for every text until they are removed") {
  Metrics metrics;
  metrics.series(Kind::counter, "a_total", "Counted").value()->add(2);
  int depth = 4;
  MetricSource source = metrics.add_source([&](Exposition& out) {
    out.gauge("queue_depth", "Tasks that wait", depth, {{"name", "x"}});
    out.histogram("wait_seconds", "Waits", {0.5}, {3, 1}, 2.5);
  });
  const std::string counted = "# HELP a_total Counted\n# TYPE a_total counter\na_total 2\n";
  CHECK(metrics.text() == counted +
                              "# HELP queue_depth Tasks that wait\n# TYPE queue_depth gauge\n"
                              "queue_depth{name=\"x\"} 4\n"
                              "# HELP wait_seconds Waits\n# TYPE wait_seconds histogram\n"
                              "wait_seconds_bucket{le=\"0.5\"} 3\nwait_seconds_bucket{le=\"+Inf\"} 4\n"
                              "wait_seconds_sum 2.5\nwait_seconds_count 4\n");
  depth = 7;
  CHECK(metrics.text().find("queue_depth{name=\"x\"} 7\n") != std::string::npos);
  source.reset();
  CHECK(metrics.text() == counted);
}

TEST_CASE("a source cannot invalidate the text of a series") {
  Metrics metrics;
  metrics.series(Kind::counter, "a_total", "Counted").value()->add(2);
  const MetricSource source = metrics.add_source([](Exposition& out) {
    out.gauge("a_total", "of another kind", 1);
    out.counter("a_total", "the same series again", 9);
  });
  CHECK(metrics.text() == "# HELP a_total Counted\n# TYPE a_total counter\na_total 2\n");
}

TEST_CASE("sources are added and removed while the text is printed") {
  Metrics metrics;
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) metrics.text();
  });
  for (int i = 0; i < 500; ++i) {
    auto alive = std::make_unique<int>(i);  // freed right after the source was removed
    MetricSource source =
        metrics.add_source([value = alive.get()](Exposition& out) { out.gauge("g", "", *value); });
    source.reset();
  }
  stop = true;
  reader.join();
  CHECK(metrics.text().empty());
}

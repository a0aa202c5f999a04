#include "status/metric_samples.h"

#include <doctest/doctest.h>

using patchbay::app::MetricSamples;

TEST_CASE("metrics are read with their labels") {
  const auto samples = MetricSamples::parse(
      "# HELP calls_total Calls that ended\n"
      "# TYPE calls_total counter\n"
      "calls_total{outcome=\"no-answer\",tenant=\"a.example\"} 3\n"
      "calls_total{outcome=\"finished\",tenant=\"a.example\"} 4.5\n"
      "legs 2\n");
  REQUIRE(samples.of("calls_total").size() == 2);
  CHECK(samples.of("calls_total")[0].labels.at("outcome") == "no-answer");
  CHECK(samples.of("calls_total")[0].labels.at("tenant") == "a.example");
  CHECK(samples.sum("calls_total") == 7.5);
  CHECK(samples.max("calls_total") == 4.5);
  CHECK(samples.sum("legs") == 2);
  CHECK_FALSE(samples.has("outcome"));
  CHECK(samples.sum("absent") == 0);
}

TEST_CASE("escaped label values are read back") {
  const auto samples = MetricSamples::parse("m{a=\"x\\\"y\\\\z\\n,} 1\",b=\"\"} 7\n");
  REQUIRE(samples.of("m").size() == 1);
  CHECK(samples.of("m")[0].labels.at("a") == "x\"y\\z\n,} 1");
  CHECK(samples.of("m")[0].labels.at("b").empty());
  CHECK(samples.of("m")[0].value == 7);
}

TEST_CASE("lines that are no samples are skipped") {
  for (const char* text :
       {"", "\n\n", "m", "m{", "m{a=\"", "m{a", "m x", "m NaN", "m +Inf", "{} 1x", "m{a=b} 1"})
    CHECK_MESSAGE(!MetricSamples::parse(text).has("m"), text);
  CHECK(MetricSamples::parse("m{a=\"\nm 1\n").sum("m") == 1);
}

#include "observe/exposition.h"

#include <doctest/doctest.h>

#include <limits>

using namespace patchbay::core::observe;

TEST_CASE("samples are printed by name and labels, whatever the order in which they were added") {
  Exposition out;
  out.gauge("b", "B", 1, {{"y", "2"}, {"x", "1"}});
  out.counter("a_total", "A", 3);
  out.gauge("b", "B", std::numeric_limits<double>::infinity(), {{"x", "0"}});
  CHECK(out.text() ==
        "# HELP a_total A\n# TYPE a_total counter\na_total 3\n"
        "# HELP b B\n# TYPE b gauge\nb{x=\"0\"} +Inf\nb{x=\"1\",y=\"2\"} 1\n");
}

TEST_CASE("a sample that would invalidate the text is ignored") {
  Exposition out;
  out.counter("a_total", "A", 2);
  out.gauge("a_total", "of another kind", 1);
  out.counter("a_total", "the same series again", 9);
  out.counter("a_total", "", 1, {{"reason", "full"}});
  out.gauge("bad name", "", 1);
  out.gauge("g", "", 1, {{"le", "1"}});
  out.gauge("g", "", 1, {{"x", "1"}, {"x", "2"}});
  out.histogram("h", "", {1, 2}, {1, 1}, 1);  // one count too few
  CHECK(out.text() == "# HELP a_total A\n# TYPE a_total counter\na_total 2\na_total{reason=\"full\"} 1\n");
}

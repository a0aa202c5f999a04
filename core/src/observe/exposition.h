// Gathers metric samples and prints them in the Prometheus text format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::core::observe {

enum class Kind : uint8_t { counter, gauge, histogram };  // values are those of PB_METRIC_*

// Pairs of name and value. Values should come from a small set: each combination is a series of its own.
using Labels = std::vector<std::pair<std::string, std::string>>;

// The upper bounds of a histogram's buckets, ascending, without +Inf. The default fits seconds.
using Bounds = std::vector<double>;
const Bounds& seconds_bounds();

// Whether Prometheus takes the name and the labels, which must be sorted.
bool is_metric(std::string_view name, const Labels& labels);
// a="x",b="y"
std::string print_labels(const Labels& labels);

// Belongs to one thread. A sample is ignored when Prometheus would refuse the whole text because of it: a bad
// name or label, a name already used with another kind, the same name and labels a second time.
class Exposition {
 public:
  void counter(std::string_view name, std::string_view help, double value, Labels labels = {});
  void gauge(std::string_view name, std::string_view help, double value, Labels labels = {});
  // `counts` has each bucket's own count; one more than `bounds`, the last is for +Inf.
  void histogram(std::string_view name, std::string_view help, const Bounds& bounds,
                 const std::vector<uint64_t>& counts, double sum, Labels labels = {});

  // The same with labels that are already checked and printed.
  void value(Kind kind, std::string_view name, std::string_view help, const std::string& labels,
             double value);
  void histogram(std::string_view name, std::string_view help, const std::string& labels,
                 const Bounds& bounds, const std::vector<uint64_t>& counts, double sum);

  // Format 0.0.4: families in the order of their names, series in that of their labels.
  std::string text() const;

 private:
  struct Family {
    Kind kind;
    std::string help;
    std::map<std::string, std::string> lines;  // by labels
  };
  // Where the lines of a new series go; nullptr: the sample is to be ignored.
  std::string* begin(Kind kind, std::string_view name, std::string_view help, const std::string& labels);

  std::map<std::string, Family, std::less<>> families_;
};

}  // namespace patchbay::core::observe

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

// Pairs of name and value. Use values from a small set, because each combination is a separate series.
using Labels = std::vector<std::pair<std::string, std::string>>;

// The upper bounds of a histogram's buckets, ascending, without +Inf. The default fits seconds.
using Bounds = std::vector<double>;
const Bounds& seconds_bounds();

// Whether Prometheus accepts the name and the labels, which must be sorted.
bool is_metric(std::string_view name, const Labels& labels);
// a="x",b="y"
std::string print_labels(const Labels& labels);

// Used by one thread. Ignores a sample that would make Prometheus reject the whole text: an invalid name or
// label, a name already used with another kind, a second sample with the same name and labels.
class Exposition {
 public:
  void counter(std::string_view name, std::string_view help, double value, Labels labels = {});
  void gauge(std::string_view name, std::string_view help, double value, Labels labels = {});
  // `counts`: each bucket's own count, not cumulative; one more than `bounds`, the last for +Inf.
  void histogram(std::string_view name, std::string_view help, const Bounds& bounds,
                 const std::vector<uint64_t>& counts, double sum, Labels labels = {});

  // The same with labels that are already checked and printed.
  void value(Kind kind, std::string_view name, std::string_view help, const std::string& labels,
             double value);
  void histogram(std::string_view name, std::string_view help, const std::string& labels,
                 const Bounds& bounds, const std::vector<uint64_t>& counts, double sum);

  // Format 0.0.4: families sorted by name, series by labels.
  std::string text() const;

 private:
  struct Family {
    Kind kind;
    std::string help;
    std::map<std::string, std::string> lines;  // by labels
  };
  // Returns the buffer for the lines of a new series, or nullptr if the sample must be ignored.
  std::string* begin(Kind kind, std::string_view name, std::string_view help, const std::string& labels);

  std::map<std::string, Family, std::less<>> families_;
};

}  // namespace patchbay::core::observe

#include "shares/accept.h"

#include <patchbay/text.h>

#include <array>
#include <cstdint>
#include <optional>

namespace patchbay::transcripts {
namespace {

// Reads a weight, "0" to "1" with at most three decimals, in thousandths.
std::optional<int> read_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int weight = (text[0] - '0') * 1000;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  constexpr std::array kUnits{100, 10, 1};
  for (size_t i = 2; i < text.size(); ++i) {
    if (!is_digit(text[i])) return std::nullopt;
    weight += (text[i] - '0') * kUnits[i - 2];
  }
  return weight <= 1000 ? std::optional(weight) : std::nullopt;
}

// The weight of a type, by the most specific range so far.
struct Preference {
  std::string_view type, any_subtype;
  int specificity = 0;  // 0: no range matched
  int weight = 0;

  void take(std::string_view range, int range_weight) {
    const int found = equals_ignoring_case(range, type)          ? 3
                      : equals_ignoring_case(range, any_subtype) ? 2
                      : range == "*/*"                           ? 1
                                                                 : 0;
    if (found <= specificity) return;
    specificity = found;
    weight = range_weight;
  }
};

}  // namespace

bool prefers_json(std::string_view accept) {
  Preference html{"text/html", "text/*"}, json{"application/json", "application/*"};
  while (!accept.empty()) {
    std::string_view item = take_until(',', accept);
    const std::string_view range = trim(take_until(';', item));
    std::optional<int> weight = 1000;
    while (!item.empty()) {
      const std::string_view parameter = trim(take_until(';', item));
      if (parameter.starts_with("q=") || parameter.starts_with("Q="))
        weight = read_weight(parameter.substr(2));
    }
    if (!weight) continue;
    html.take(range, *weight);
    json.take(range, *weight);
  }
  return json.weight > html.weight;
}

}  // namespace patchbay::transcripts

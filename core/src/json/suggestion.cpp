#include "json/suggestion.h"

#include <patchbay/text.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "json/limits.h"

namespace patchbay::core::json {
namespace {

// The edit distance with swaps of neighbours (Damerau-Levenshtein, restricted), ignoring letter case.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = last[j] + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      row[j + 1] = std::min({row[j] + 1, last[j + 1] + 1, replaced});
      if (i > 0 && j > 0 && lower(a[i]) == lower(b[j - 1]) && lower(a[i - 1]) == lower(b[j]))
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last.back();
}

}  // namespace

std::string suggest(std::string_view name, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  size_t least = kMaxSuggestionBytes;
  if (name.size() > kMaxSuggestionBytes) return {};
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kMaxSuggestionBytes) continue;
    const size_t allowed = std::max(name.size(), candidate.size()) / 3;
    const size_t found = distance(name, candidate);
    if (found > allowed || found >= least) continue;
    least = found;
    best = candidate;
  }
  return std::string(best);
}

}  // namespace patchbay::core::json

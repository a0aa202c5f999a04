#include "config/problem.h"

namespace patchbay::core::config {

std::string Problem::sentence() const {
  std::string out = file;
  if (line > 0) out += ":" + std::to_string(line) + ":" + std::to_string(column);
  out += ": ";
  if (!path.empty()) out += path + " ";
  out += text;
  if (!hint.empty()) out += "; " + hint;
  return out;
}

std::string sentences(const std::vector<Problem>& problems) {
  std::string out;
  for (const Problem& problem : problems) out += (out.empty() ? "" : "\n") + problem.sentence();
  return out;
}

}  // namespace patchbay::core::config

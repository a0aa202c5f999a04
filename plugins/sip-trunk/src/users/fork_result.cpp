#include "users/fork_result.h"

#include <algorithm>

namespace patchbay::sip_trunk {
namespace {

bool was_reached(const telephony::Ended& ended) { return ended.cause == "no-answer"; }

}  // namespace

telephony::Ended fork_result(const std::vector<telephony::Ended>& ends) {
  const auto final = std::find_if(ends.begin(), ends.end(), ends_all_forks);
  if (final != ends.end()) return *final;
  std::vector<telephony::Ended> reached;
  std::copy_if(ends.begin(), ends.end(), std::back_inserter(reached), was_reached);
  if (reached.empty()) {
    telephony::Ended out;
    out.cause = "no-answer";
    out.sip_status = 480;
    out.detail = "unreachable (480)";
    for (const auto& ended : ends)
      if (!ended.detail.empty()) out.detail += ": " + ended.detail;
    return out;
  }
  const bool is_busy = std::all_of(reached.begin(), reached.end(),
                                   [](const telephony::Ended& ended) { return ended.sip_status == 486; });
  if (is_busy) return reached.front();
  const auto rang = std::find_if(reached.begin(), reached.end(),
                                 [](const telephony::Ended& ended) { return ended.sip_status != 486; });
  telephony::Ended out = *rang;
  out.sip_status = 480;
  return out;
}

}  // namespace patchbay::sip_trunk

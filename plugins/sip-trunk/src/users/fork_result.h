// What a call to several contacts of a user ends as, when none of them has answered (RFC 3261 section 16.7).
// Pure.
#pragma once

#include <patchbay/services/telephony.h>

#include <vector>

namespace patchbay::sip_trunk {

// Whether the end of one contact ends the call at all the others: 6xx, such as 603 (declined).
inline bool ends_all_forks(const telephony::Ended& ended) {
  return !ended.answered && ended.sip_status >= 600 && ended.sip_status <= 699;
}

// `ends`: of all contacts. 6xx of any; 486 if all that were reached are busy; else 480.
telephony::Ended fork_result(const std::vector<telephony::Ended>& ends);

}  // namespace patchbay::sip_trunk

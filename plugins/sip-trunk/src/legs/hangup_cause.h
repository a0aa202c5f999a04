// Translates the end of a dialog into the `ended` message of patchbay.telephony. Pure functions, any thread.
#pragma once

#include <patchbay/services/telephony.h>

#include <string>

#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

inline telephony::Ended ended_as(std::string cause, std::string detail) {
  telephony::Ended ended;
  ended.cause = std::move(cause);
  ended.detail = std::move(detail);
  return ended;
}

telephony::Ended hangup_cause(const DialogEnd& ended);

}  // namespace patchbay::sip_trunk

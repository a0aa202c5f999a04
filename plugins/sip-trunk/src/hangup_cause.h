// How the end of a dialog is told to those who dialled. Pure; any thread.
#pragma once

#include <patchbay/services/telephony.h>

#include <string>

#include "sip_types.h"

namespace patchbay::sip_trunk {

inline telephony::Ended ended_as(std::string cause, std::string detail) {
  telephony::Ended ended;
  ended.cause = std::move(cause);
  ended.detail = std::move(detail);
  return ended;
}

telephony::Ended hangup_cause(const DialogEnd& ended);

}  // namespace patchbay::sip_trunk

#include "leg_end.h"

namespace patchbay::sip_trunk {
namespace {

// Busy, declined, not there: the callee was reached and did not take the call (RFC 3261 section 21).
bool not_taken(int status) {
  return status == 408 || status == 480 || status == 486 || status == 600 || status == 603;
}

telephony::Ended rejected(const Ended& ended) {
  if (not_taken(ended.sip_status)) return ended_as("no-answer", "");
  return ended_as("failed", "SIP " + std::to_string(ended.sip_status) + " " + ended.text);
}

telephony::Ended without_status(const Ended& ended) {
  switch (ended.reason) {
    case EndReason::rejected:
      return rejected(ended);
    case EndReason::silence:
      return ended_as("failed", "the trunk does not answer");
    case EndReason::transport:
      return ended_as("failed", "the trunk cannot be reached");
    case EndReason::no_answer:
      return ended_as("no-answer", "");
    case EndReason::no_media:
      return ended_as("failed", "the answer carried no usable media");
    case EndReason::cancelled:
    case EndReason::local_hangup:
      return ended_as("local", "");
    case EndReason::far_hangup:
      return ended_as("far", "");
  }
  return ended_as("failed", "");
}

}  // namespace

telephony::Ended leg_end(const Ended& ended) {
  telephony::Ended told = without_status(ended);
  told.sip_status = ended.sip_status;
  return told;
}

}  // namespace patchbay::sip_trunk

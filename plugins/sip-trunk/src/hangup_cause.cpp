#include "hangup_cause.h"

namespace patchbay::sip_trunk {
namespace {

// The callee was reached and did not take the call (RFC 3261 section 21); null for all else.
const char* not_taken(int status) {
  switch (status) {
    case 486:
    case 600:
      return "busy";
    case 603:
      return "declined";
    case 480:
      return "unreachable";
    case 408:
      return "did not answer";
    default:
      return nullptr;
  }
}

telephony::Ended rejected(const DialogEnd& ended) {
  const std::string status = std::to_string(ended.sip_status);
  if (const char* why = not_taken(ended.sip_status))
    return ended_as("no-answer", std::string(why) + " (" + status + ")");
  std::string detail = "SIP " + status + " " + ended.text;
  if (!ended.detail.empty()) detail += ": " + ended.detail;
  return ended_as("failed", detail);
}

telephony::Ended without_status(const DialogEnd& ended) {
  switch (ended.reason) {
    case EndReason::rejected:
      return rejected(ended);
    case EndReason::silence:
      return ended_as("failed", "the trunk does not answer");
    case EndReason::transport:
      return ended_as("failed", ended.detail.empty() ? "the trunk cannot be reached" : ended.detail);
    case EndReason::no_answer:
      return ended_as("no-answer", ended.text == "rang out" ? ended.text : "rang out (" + ended.text + ")");
    case EndReason::lost:
      return ended_as("failed", "the call was lost: " + ended.text);
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

telephony::Ended hangup_cause(const DialogEnd& ended) {
  telephony::Ended told = without_status(ended);
  told.sip_status = ended.sip_status;
  if (ended.sip_status != 0) {
    told.sip_reason = ended.text;
    if (!ended.detail.empty()) told.sip_reason += (ended.text.empty() ? "" : ", ") + ended.detail;
  }
  return told;
}

}  // namespace patchbay::sip_trunk

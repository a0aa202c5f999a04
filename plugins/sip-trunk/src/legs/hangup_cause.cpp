#include "legs/hangup_cause.h"

namespace patchbay::sip_trunk {
namespace {

// Returns why the callee did not take the call (RFC 3261 section 21); null for any other status.
const char* no_answer_reason(int status) {
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
  if (const char* why = no_answer_reason(ended.sip_status))
    return ended_as("no-answer", std::string(why) + " (" + status + ")");
  std::string detail = "SIP " + status + " " + ended.text;
  if (!ended.detail.empty()) detail += ": " + ended.detail;
  return ended_as("failed", detail);
}

telephony::Ended from_reason(const DialogEnd& ended) {
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
    case EndReason::stopped:
      return ended_as("failed", "interrupted: the server stopped");
    case EndReason::far_hangup:
      return ended_as("far", "");
  }
  return ended_as("failed", "");
}

}  // namespace

telephony::Ended hangup_cause(const DialogEnd& ended) {
  telephony::Ended result = from_reason(ended);
  result.sip_status = ended.sip_status;
  if (ended.sip_status != 0) {
    result.sip_reason = ended.text;
    if (!ended.detail.empty()) result.sip_reason += (ended.text.empty() ? "" : ", ") + ended.detail;
  }
  return result;
}

}  // namespace patchbay::sip_trunk

#include "dialogs/far_referral.h"

namespace patchbay::sip_trunk {

void FarReferral::report(int status, const std::string& phrase) {
  if (is_over_) return;
  is_over_ = status >= 200;
  if (event_.empty()) return;
  const std::string line = "SIP/2.0 " + std::to_string(status) + " " + phrase + "\r\n";
  const int substate = is_over_ ? nua_substate_terminated : nua_substate_active;
  nua_notify(handle_, NUTAG_SUBSTATE(substate), SIPTAG_EVENT_STR(event_.c_str()),
             TAG_IF(is_over_, SIPTAG_SUBSCRIPTION_STATE_STR("terminated;reason=noresource")),
             SIPTAG_CONTENT_TYPE_STR("message/sipfrag"), SIPTAG_PAYLOAD_STR(line.c_str()), TAG_END());
}

}  // namespace patchbay::sip_trunk

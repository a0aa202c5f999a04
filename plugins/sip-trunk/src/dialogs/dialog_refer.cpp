// The part of Dialog that takes a REFER of the far end (RFC 3515).
#include <strings.h>

#include <string>

#include "dialogs/dialog.h"
#include "stack/header_text.h"
#include "stack/sip_limits.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {
namespace {

// Whether the far end wants no NOTIFY (RFC 4488).
bool wants_no_reports(const sip_t& refer) {
  const sip_refer_sub_t* wish = sip_refer_sub(&refer);
  return wish != nullptr && wish->rs_value != nullptr && strcasecmp(wish->rs_value, "false") == 0;
}

// Neither 416 nor 481, which would end the whole dialog (RFC 5057).
int refusal_of(const Error& error) { return error.code == Code::denied ? 403 : 400; }

}  // namespace

// Without the setting REFER is left out, so that sofia-sip refuses it with 405.
void Dialog::allow_methods() {
  std::string allow = kAllowedMethods;
  if (trunk().accepts_refer) allow += ", REFER";
  if (referral_) allow += ", NOTIFY";
  nua_set_hparams(handle_.get(), SIPTAG_ALLOW_STR(allow.c_str()), TAG_END());
}

void Dialog::on_far_refer(nua_handle_t* handle, const sip_t* sip, tagi_t tags[]) {
  const auto refuse = [&](int status) {
    const char* const phrase = status == 400 ? "Bad Refer-To" : sip_status_phrase(status);
    nua_respond(handle, status, phrase, NUTAG_WITH_THIS(agent_.nua()), TAG_END());
  };
  const bool may_transfer = state_ == State::answered && !must_await_ack() && listener_ != nullptr;
  if (!trunk().accepts_refer || !may_transfer) return refuse(403);
  const bool is_busy = (far_referral_ && !far_referral_->is_over()) || (referral_ && !referral_->is_over());
  if (is_busy) return refuse(491);
  if (sip->sip_refer_to == nullptr || has_bad_header(*sip, sip_refer_to_class)) return refuse(400);
  const auto target = read_refer_to(header_text(sip->sip_refer_to));
  if (!target) return refuse(refusal_of(target.error()));
  const sip_event_t* event = nullptr;
  tl_gets(tags, NUTAG_REFER_EVENT_REF(event), TAG_END());
  const bool is_silent = wants_no_reports(*sip);
  nua_respond(handle, SIP_202_ACCEPTED, NUTAG_WITH_THIS(agent_.nua()),
              TAG_IF(is_silent, SIPTAG_REFER_SUB_STR("false")), TAG_END());
  far_referral_.emplace(handle_.get(), is_silent          ? std::string()
                                       : event != nullptr ? header_text(event)
                                                          : "refer");
  far_referral_->report(100, "Trying");
  listener_->on_far_refer(id_, *target);
}

void Dialog::report_refer(int status) {
  const char* const phrase = sip_status_phrase(status);
  if (far_referral_ && state_ == State::answered)
    far_referral_->report(status, phrase != nullptr ? phrase : "Unknown");
}

}  // namespace patchbay::sip_trunk

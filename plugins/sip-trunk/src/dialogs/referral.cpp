#include "dialogs/referral.h"

#include <patchbay/text.h>
#include <strings.h>

#include <algorithm>
#include <utility>

#include "dialogs/sipfrag.h"
#include "stack/request_screen.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

namespace {

// RFC 4488.
bool is_without_reports(const sip_t& answer) {
  const sip_refer_sub_t* subscription = sip_refer_sub(&answer);
  return subscription != nullptr && subscription->rs_value != nullptr &&
         strcasecmp(subscription->rs_value, "false") == 0;
}

}  // namespace

void Referral::send() {
  const std::string& authorization = credentials_.authorization();
  const std::string& proxy_authorization = credentials_.proxy_authorization();
  nua_refer(handle_, SIPTAG_REFER_TO_STR(refer_to_.c_str()), SIPTAG_SUPPORTED_STR("norefersub"),
            TAG_IF(!authorization.empty(), SIPTAG_AUTHORIZATION_STR(authorization.c_str())),
            TAG_IF(!proxy_authorization.empty(), SIPTAG_PROXY_AUTHORIZATION_STR(proxy_authorization.c_str())),
            TAG_END());
}

std::optional<ReferStep> Referral::on_answer(int status, const char* phrase, const sip_t* sip,
                                             const TrunkAccess& trunk) {
  if (status < 200 || is_over_) return std::nullopt;
  const bool is_received = sip != nullptr && !nta_sip_is_internal(sip);
  if (is_received && credentials_.answer(status, sip, trunk, "REFER", uri_, "")) {
    send();
    return std::nullopt;
  }
  std::string text = printable_ascii(phrase != nullptr ? phrase : "", kMaxShownBytes);
  if (!is_received) return finish(ReferStep::Kind::refused, 0, "no answer to REFER");
  if (status >= 300) {
    const int received = received_status(*sip);
    if (received != status) text = text.substr(std::min<size_t>(4, text.size()));
    return finish(ReferStep::Kind::refused, received, std::move(text));
  }
  if (is_without_reports(*sip)) return finish(ReferStep::Kind::unreported, status, std::move(text));
  return ReferStep{ReferStep::Kind::accepted, status, std::move(text)};
}

std::optional<ReferStep> Referral::on_notify(const sip_t* sip, tagi_t tags[]) {
  if (is_over_ || sip == nullptr) return std::nullopt;
  int substate = nua_substate_active;
  tl_gets(tags, NUTAG_SUBSTATE_REF(substate), TAG_END());
  const std::string_view body = sip->sip_payload != nullptr && sip->sip_payload->pl_data != nullptr
                                    ? std::string_view(sip->sip_payload->pl_data, sip->sip_payload->pl_len)
                                    : std::string_view();
  ReferStep step = read_sipfrag(body);
  if (step.status >= 200) return finish(ReferStep::Kind::reported, step.status, std::move(step.text));
  if (substate == nua_substate_terminated) return finish(ReferStep::Kind::unreported, step.status, {});
  if (step.status > 100) return ReferStep{ReferStep::Kind::rings, step.status, std::move(step.text)};
  return std::nullopt;
}

std::optional<ReferStep> Referral::finish(ReferStep::Kind kind, int status, std::string text) {
  is_over_ = true;
  return ReferStep{kind, status, std::move(text)};
}

}  // namespace patchbay::sip_trunk

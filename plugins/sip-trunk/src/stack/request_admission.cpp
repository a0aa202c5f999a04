#include "stack/request_admission.h"

#include <string_view>

#include "dialogs/dialog_route.h"
#include "now_ms.h"
#include "rtp/address.h"

namespace patchbay::sip_trunk {

Admission RequestAdmission::admit(const sip_t& request, const lib::SocketAddress& from, bool is_datagram) {
  if (screen_ != nullptr && request.sip_request->rq_method == sip_method_register)
    return registers_.size() < kMaxPendingRegisters ? screen_->judge(request, from, is_datagram)
                                                    : Admission::refused;
  const std::string_view call_id = request.sip_call_id->i_id;
  const bool is_trunk = filter_.is_permanent(from);
  const bool is_invite = request.sip_request->rq_method == sip_method_invite;
  // Trunks may choose the same Call-ID; then the tags differ. So another trunk may begin a call with a known
  // one, but not send what has a tag of a call that is not from there.
  Dialog* trusting = nullptr;
  bool is_known = false, is_of_other = false;
  for (const auto& [id, dialog] : dialogs_) {
    if (dialog->call_id() != call_id) continue;
    is_known = true;
    const bool trusts = dialog->trusts(from);
    const bool is_named = (!trusts || trusting != nullptr) && dialog->is_named_in(request);
    if (trusts && (trusting == nullptr || is_named)) trusting = dialog.get();
    is_of_other = is_of_other || (!trusts && is_named);
  }
  if (trusting != nullptr && !is_of_other) {
    if (trusting->takes(request, now_ms())) return Admission::granted;
    ++refused_by_rate_;
    return Admission::refused;
  }
  if (is_trunk && is_invite && !is_of_other && request.sip_to->a_tag == nullptr) is_known = false;
  if (is_known) ++foreign_;
  const bool is_strange_call = !is_trunk && is_invite;
  if (is_strange_call || !(is_trunk ? is_within_limits(from) : stranger_limit_.take(now_ms()))) {
    if (!is_known) ++refused_by_rate_;
    return Admission::refused;
  }
  return is_known ? Admission::out_of_dialog : Admission::granted;
}

// Counts a request of a trunk. Each address has a limit too, so that one trunk does not silence the others.
bool RequestAdmission::is_within_limits(const lib::SocketAddress& trunk) {
  const int64_t now = now_ms();
  return trunk_limits_.take(trunk.ip_text(), now * 1'000'000) == 0 && trunk_limit_.take(now);
}

bool RequestAdmission::is_stray(const sip_t& answer) const {
  const bool is_success = answer.sip_status != nullptr && answer.sip_status->st_status / 100 == 2;
  if (!is_success || answer.sip_cseq == nullptr || answer.sip_cseq->cs_method != sip_method_invite)
    return false;
  for (const auto& [id, dialog] : dialogs_)
    if (dialog->awaits(answer) || dialog->is_inside(answer)) return false;
  const auto listen = lib::SocketAddress::parse(options_.listen_ip, 0);
  return next_hop(answer, {listen ? listen->family() : AF_INET, options_.tcp}).empty();
}

}  // namespace patchbay::sip_trunk

#include "stack/request_admission.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "dialogs/dialog_route.h"
#include "dialogs/invite.h"
#include "now_ms.h"
#include "rtp/address.h"
#include "stack/header_text.h"

namespace patchbay::sip_trunk {
namespace {

// The dialog that a 2xx makes. Its requests go to the source of the answer, because it may be forged.
StoredDialog orphan_of(const sip_t& answer, const lib::SocketAddress& from, bool is_tcp_open) {
  StoredDialog orphan;
  orphan.next_hop = numeric_url(from, Transport::udp);
  const DialogRoute route =
      dialog_route(answer, orphan.next_hop, orphan.next_hop, {from.family(), is_tcp_open});
  orphan.call_id = answer.sip_call_id->i_id;
  orphan.from = header_text(answer.sip_from);
  orphan.to = route.to;
  orphan.target = route.target;
  for (const std::string& next : route.routes) orphan.routes += (orphan.routes.empty() ? "" : ", ") + next;
  orphan.sequence = answer.sip_cseq->cs_seq;
  return orphan;
}

}  // namespace

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

// A call that rang when its process was killed: nothing else would end it once it is answered.
void RequestAdmission::on_answer(const sip_t& answer, const lib::SocketAddress& from) {
  if (is_orphan(answer) && filter_.is_permanent(from) && orphan_limit_.take(now_ms()))
    on_orphan_(orphan_of(answer, from, options_.tcp));
}

bool RequestAdmission::is_orphan(const sip_t& answer) const {
  const bool is_success = answer.sip_status != nullptr && answer.sip_status->st_status / 100 == 2;
  if (!is_success || answer.sip_cseq == nullptr || answer.sip_cseq->cs_method != sip_method_invite)
    return false;
  if (answer.sip_call_id == nullptr || answer.sip_from == nullptr || answer.sip_to == nullptr) return false;
  const sip_via_t* const via = answer.sip_via;
  const char* const port = via != nullptr && via->v_port != nullptr ? via->v_port : "5060";
  if (via == nullptr || via->v_next != nullptr || port != std::to_string(port_)) return false;  // not ours
  const char* const tag = answer.sip_from->a_tag;
  if (tag == nullptr || answer.sip_to->a_tag == nullptr || is_own_tag(tag)) return false;
  return std::none_of(dialogs_.begin(), dialogs_.end(), [&](const auto& dialog) {
    return dialog.second->call_id() == answer.sip_call_id->i_id;
  });
}

}  // namespace patchbay::sip_trunk

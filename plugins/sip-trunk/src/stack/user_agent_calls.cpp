// What calls ask of a UserAgent: dial, take, ring, answer, hang up and transfer.
#include <patchbay/percent_encoding.h>

#include <string>
#include <utility>
#include <variant>

#include "stack/header_text.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {

Result<DialogId> UserAgent::dial(Invite invite, DialogListener& listener) {
  const DialogId id = ++last_id_;
  const bool posted = post([this, id, invite = std::move(invite), &listener] {
    if (stopping_) return listener.on_ended(id, {EndReason::stopped, 0, "", ""});
    auto dialog = std::make_unique<OutboundDialog>(*this, id, invite, listener);
    OutboundDialog& started = *dialog;
    dialogs_[id] = std::move(dialog);
    started.start();
    reap(id);
  });
  if (!posted) return {Code::unavailable, "the SIP stack is stopped"};
  return id;
}

void UserAgent::hangup(DialogId id, std::string cancel_reason) {
  (void)post([this, id, cancel_reason = std::move(cancel_reason)] {
    const auto found = dialogs_.find(id);
    if (found == dialogs_.end()) return;
    found->second->set_cancel_reason(cancel_reason);
    found->second->hangup();
    reap(id);
  });
}

void UserAgent::on_call(nua_handle_t* handle, const sip_t& invite) {
  if (is_too_short(read_session(nua_current_request(nua_)), options_.min_session_sec)) {
    const std::string least = std::to_string(options_.min_session_sec);
    nua_respond(handle, SIP_422_SESSION_TIMER_TOO_SMALL, SIPTAG_MIN_SE_STR(least.c_str()), TAG_END());
    nua_handle_destroy(handle);
    return;
  }
  const auto replaced = find_replaced(invite);
  if (const auto* refusal = std::get_if<Refusal>(&replaced)) {
    nua_respond(handle, refusal->status, sip_status_phrase(refusal->status), TAG_END());
    nua_handle_destroy(handle);
    return;
  }
  const DialogId id = ++last_id_;
  const auto source = source_of(nua_current_request(nua_));
  dialogs_[id] = std::make_unique<InboundDialog>(*this, id, handle, invite, source);
  InboundInvite call = read_invite(invite, source);
  call.replaced = std::get<DialogId>(replaced);
  options_.on_call(id, call);
}

// RFC 3891 section 3. A dialog that rings is not replaced: only its owner here decides who gets it. 0: the
// INVITE names none.
std::variant<DialogId, Refusal> UserAgent::find_replaced(const sip_t& invite) const {
  if (has_bad_header(invite, sip_replaces_class)) return Refusal{400};
  if (invite.sip_replaces == nullptr) return DialogId{0};
  const auto named = read_replaces(header_text(invite.sip_replaces));
  if (!named) return Refusal{400};
  for (const auto& [id, dialog] : dialogs_) {
    if (!dialog->is_named_by(*named)) continue;
    if (dialog->has_ended()) return Refusal{603};
    if (named->early_only) return Refusal{486};
    return id;
  }
  return Refusal{481};
}

Status UserAgent::take(DialogId id, CallOwner owner, DialogListener& listener) {
  const bool posted = post([this, id, owner = std::move(owner), &listener] {
    const auto found = dialogs_.find(id);
    InboundDialog* dialog = found != dialogs_.end() ? found->second->inbound() : nullptr;
    if (dialog == nullptr || dialog->has_ended())
      return listener.on_ended(id, {EndReason::far_hangup, 487, "cancelled", ""});
    dialog->take(owner, listener);
  });
  if (!posted) return {Code::unavailable, "the SIP stack is stopped"};
  return {};
}

void UserAgent::with_inbound(DialogId id, std::function<void(InboundDialog&)> act) {
  (void)post([this, id, act = std::move(act)] {
    const auto found = dialogs_.find(id);
    InboundDialog* dialog = found != dialogs_.end() ? found->second->inbound() : nullptr;
    if (dialog == nullptr) return;
    act(*dialog);
    reap(id);
  });
}

void UserAgent::ring(DialogId id, int status, std::string sdp) {
  with_inbound(id, [status, sdp = std::move(sdp)](InboundDialog& dialog) { dialog.ring(status, sdp); });
}

void UserAgent::answer(DialogId id, std::string sdp) {
  with_inbound(id, [sdp = std::move(sdp)](InboundDialog& dialog) { dialog.answer(sdp); });
}

void UserAgent::leave(DialogId id, int64_t bye_after_ms) {
  (void)post([this, id, bye_after_ms] {
    const auto found = dialogs_.find(id);
    if (found == dialogs_.end()) return;
    found->second->leave(bye_after_ms);
    reap(id);
  });
}

void UserAgent::reoffer(DialogId id, std::string sdp) {
  (void)post([this, id, sdp = std::move(sdp)] {
    const auto found = dialogs_.find(id);
    if (found != dialogs_.end()) found->second->reoffer(sdp);
  });
}

// Replaces is a header of the URI, so it is escaped there (RFC 3261 section 19.1.1).
void UserAgent::refer(DialogId id, std::string uri, DialogId replaced) {
  (void)post([this, id, uri = std::move(uri), replaced] {
    const auto found = dialogs_.find(id);
    if (found == dialogs_.end()) return;
    const auto other = dialogs_.find(replaced);
    const std::string replaces = other != dialogs_.end() ? other->second->replaces() : std::string();
    if (replaced != 0 && replaces.empty()) return found->second->fail_refer();
    found->second->refer("<" + uri + (replaces.empty() ? "" : "?Replaces=" + percent_encode(replaces)) + ">");
  });
}

void UserAgent::report_refer(DialogId id, int status) {
  (void)post([this, id, status] {
    const auto found = dialogs_.find(id);
    if (found != dialogs_.end()) found->second->report_refer(status);
  });
}

void UserAgent::refuse(DialogId id, Refusal refusal) {
  with_inbound(id, [refusal = std::move(refusal)](InboundDialog& dialog) { dialog.refuse(refusal); });
}

}  // namespace patchbay::sip_trunk

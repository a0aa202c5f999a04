#include "dialogs/dialog.h"

#include <strings.h>

#include <algorithm>
#include <utility>

#include "dialogs/dtmf_info.h"
#include "dialogs/sdp_body.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {

namespace {

// Of a From or To header's value.
std::string tag_of(const std::string& header) {
  const size_t at = header.rfind(";tag=");
  const std::string tag = at != std::string::npos ? header.substr(at + 5) : std::string();
  return tag.substr(0, tag.find_first_of("; \t,"));
}

}  // namespace

std::string_view sdp_of(const sip_t* sip) {
  if (sip == nullptr || sip->sip_payload == nullptr || sip->sip_payload->pl_data == nullptr) return {};
  const std::string_view body(sip->sip_payload->pl_data, sip->sip_payload->pl_len);
  const sip_content_type_t* type = sip->sip_content_type;
  if (type == nullptr || type->c_type == nullptr) return body;
  std::string text = type->c_type;
  if (const char* boundary = msg_params_find(type->c_params, "boundary="))
    text += std::string(";boundary=") + boundary;
  return find_sdp(text, body);
}

Dialog::Dialog(UserAgent& agent, DialogId id, std::string call_id, DialogListener* listener)
    : agent_(agent),
      listener_(listener),
      timer_(su_timer_create(su_root_task(agent.root()), kDialogLingerMs)),
      id_(id),
      call_id_(std::move(call_id)) {}

Dialog::~Dialog() {
  for (su_timer_t* timer : {timer_, session_timer_, conflict_timer_})
    if (timer != nullptr) su_timer_destroy(timer);
  for (const auto& address : trusted_) agent_.forbid(address);
}

void Dialog::hangup() {
  if (state_ == State::ended) return;
  const bool answered = state_ == State::answered;
  hang_up_peer();
  const EndReason hung_up = answered ? EndReason::local_hangup : EndReason::cancelled;
  report_end({agent_.is_stopping() ? EndReason::stopped : hung_up, 0, "", ""});
}

void Dialog::leave(int64_t bye_after_ms) {
  if (state_ == State::answered && bye_after_ms > 0) {
    if (DialogListener* listener = std::exchange(listener_, nullptr))
      listener->on_ended(id_, {EndReason::local_hangup, 0, "", ""});
    is_left_ = true;
    return set_timer(bye_after_ms);
  }
  hangup();
}

void Dialog::hang_up_peer() {
  if (state_ == State::answered || (state_ == State::ended && !bye_sent_)) {
    bye_sent_ = true;
    bye_after_ack_ = must_await_ack();
    if (!bye_after_ack_) nua_bye(handle_.get(), TAG_END());
  } else if (state_ != State::ended) {
    cancel();
  }
}

// Reports the end and lets the user agent delete the dialog.
void Dialog::close(const DialogEnd& ended) {
  closed_ = true;
  report_end(ended);
}

// The ByeSender reports to the DialogLog from here on.
void Dialog::start_bye(const sip_t* challenge) {
  is_logged_ = false;
  StoredDialog dialog = stored();
  if (!dialog.from.empty()) agent_.start_bye(std::move(dialog), trunk(), challenge);
}

void Dialog::log_up() {
  is_logged_ = true;
  if (agent_.options().log != nullptr) agent_.options().log->dialog_up(stored());
}

void Dialog::log_down(bool confirmed) {
  if (std::exchange(is_logged_, false) && agent_.options().log != nullptr)
    agent_.options().log->dialog_down(stored(), confirmed);
}

// Reports the end to the listener, then lingers for late messages.
void Dialog::report_end(const DialogEnd& ended) {
  if (state_ == State::ended) return;
  state_ = State::ended;
  reoffer_pending_ = false;
  set_timer(kDialogLingerMs);
  if (DialogListener* listener = std::exchange(listener_, nullptr)) listener->on_ended(id_, ended);
}

void Dialog::on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle,
                      const sip_t* sip, tagi_t tags[]) {
  if (handle != handle_.get()) return;  // an event of an earlier attempt
  if (event == nua_r_invite && is_reoffering_) return on_reoffer_answer(status, sip);
  switch (event) {
    case nua_i_invite:
      return on_reinvite(handle, sip);
    case nua_i_update:
      return on_update(handle, sip);
    case nua_i_info:
      return on_info(handle, sip);
    case nua_i_ack:
      return on_acknowledged(sip);
    case nua_i_bye:
      return on_bye(handle);
    case nua_r_bye:
      return on_bye_answer(status, sip);
    case nua_r_update:
      return on_update_answer(status, sip);
    case nua_i_refer:
      return on_far_refer(handle, sip, tags);
    case nua_r_refer:
      if (referral_) on_refer_step(referral_->on_answer(status, phrase, sip, trunk()));
      return;
    case nua_i_notify:
      if (referral_) on_refer_step(referral_->on_notify(sip, tags));
      return;
    case nua_i_state:
      return on_state(tags);
    default:
      return on_invite_event(event, status, phrase, sip);
  }
}

void Dialog::reoffer(const std::string& sdp) {
  if (state_ != State::answered || std::exchange(is_reoffering_, true)) {
    if (listener_ != nullptr) listener_->on_reoffer_answered(id_, 0, {});
    return;
  }
  if (must_await_ack()) {
    reoffer_after_ack_ = sdp;
    return;
  }
  reoffer_sdp_ = sdp;
  conflicts_ = 0;
  credentials_.clear();
  send_reinvite();
}

// NOTIFY is only allowed in a dialog with a REFER of ours, so that those of strangers cost nothing.
void Dialog::refer(const std::string& refer_to) {
  const bool is_busy = (referral_ && !referral_->is_over()) || (far_referral_ && !far_referral_->is_over()) ||
                       !refer_after_ack_.empty();
  if (state_ != State::answered || is_busy || !allows_refer_) {
    const char* why = is_busy ? "another transfer is under way" : "the far end does not allow REFER";
    if (listener_ != nullptr) listener_->on_refer(id_, {ReferStep::Kind::refused, is_busy ? 491 : 405, why});
    return;
  }
  if (must_await_ack()) {
    refer_after_ack_ = refer_to;
    return;
  }
  referral_.emplace(handle_.get(), refer_to, stored().target);
  allow_methods();
  referral_->send();
}

void Dialog::fail_refer() {
  if (listener_ != nullptr)
    listener_->on_refer(id_, {ReferStep::Kind::refused, 481, "the other call is not answered, or over"});
}

void Dialog::on_refer_step(const std::optional<ReferStep>& step) {
  if (step && listener_ != nullptr) listener_->on_refer(id_, *step);
}

// RFC 3891 section 3: the tags as the far end sees them.
std::string Dialog::replaces() const {
  if (state_ != State::answered) return {};
  const StoredDialog dialog = stored();
  const std::string mine = tag_of(dialog.from), peer = tag_of(dialog.to);
  if (mine.empty() || peer.empty()) return {};
  return dialog.call_id + ";to-tag=" + peer + ";from-tag=" + mine;
}

bool Dialog::is_named_by(const Replaces& replaces) const {
  if (state_ == State::calling || call_id_ != replaces.call_id) return false;
  const StoredDialog dialog = stored();
  return tag_of(dialog.from) == replaces.to_tag && tag_of(dialog.to) == replaces.from_tag;
}

void Dialog::note_methods(const sip_t* sip) {
  if (sip == nullptr || sip->sip_allow == nullptr) return;
  allows_refer_ = sip_is_allowed(sip->sip_allow, SIP_METHOD_REFER) != 0;
  allows_update_ = sip_is_allowed(sip->sip_allow, SIP_METHOD_UPDATE) != 0;
}

void Dialog::on_acknowledged(const sip_t* sip) {
  on_ack(sip);
  if (std::exchange(bye_after_ack_, false)) {
    nua_bye(handle_.get(), TAG_END());
    return;
  }
  if (std::exchange(reoffer_pending_, false) && listener_ != nullptr)
    listener_->on_reanswer(id_, sdp_of(sip));
  if (!refer_after_ack_.empty()) refer(std::exchange(refer_after_ack_, {}));
  if (reoffer_after_ack_.empty()) return;
  is_reoffering_ = false;
  reoffer(std::exchange(reoffer_after_ack_, {}));
}

void Dialog::on_reinvite(nua_handle_t* handle, const sip_t* sip) {
  nua_t* nua = agent_.nua();
  if (state_ != State::answered || listener_ == nullptr) {
    nua_respond(handle, SIP_491_REQUEST_PENDING, NUTAG_WITH_THIS(nua), TAG_END());
    return;
  }
  if (refuse_session(handle)) return;
  const auto offer = sdp_of(sip);
  const std::string answer = listener_->on_reoffer(id_, offer);
  if (answer.empty()) {
    nua_respond(handle, SIP_488_NOT_ACCEPTABLE, NUTAG_WITH_THIS(nua), TAG_END());
    return;
  }
  reoffer_pending_ = offer.empty();
  accept(handle, answer);
}

// RFC 3311. Without an offer it refreshes the session or the peer's address.
void Dialog::on_update(nua_handle_t* handle, const sip_t* sip) {
  nua_t* nua = agent_.nua();
  if (refuse_session(handle)) return;
  const auto offer = sdp_of(sip);
  if (offer.empty()) return accept(handle, "");
  if (state_ != State::answered || listener_ == nullptr || reoffer_pending_) {
    nua_respond(handle, SIP_491_REQUEST_PENDING, NUTAG_WITH_THIS(nua), TAG_END());
    return;
  }
  const std::string answer = listener_->on_reoffer(id_, offer);
  if (answer.empty()) {
    nua_respond(handle, SIP_488_NOT_ACCEPTABLE, NUTAG_WITH_THIS(nua), TAG_END());
    return;
  }
  accept(handle, answer);
}

// 415 for what is no DTMF (RFC 6086 section 4.2.2), but 200 for one without body, which some peers send to
// see whether we are there.
void Dialog::on_info(nua_handle_t* handle, const sip_t* sip) {
  const bool has_body = sip->sip_payload != nullptr && sip->sip_payload->pl_len > 0;
  const char* type = sip->sip_content_type != nullptr ? sip->sip_content_type->c_type : nullptr;
  const auto digit = has_body && type != nullptr
                         ? digit_of_info(type, {sip->sip_payload->pl_data, sip->sip_payload->pl_len})
                         : std::nullopt;
  if (has_body && !digit) {
    nua_respond(handle, SIP_415_UNSUPPORTED_MEDIA, NUTAG_WITH_THIS(agent_.nua()),
                SIPTAG_ACCEPT_STR("application/dtmf-relay, application/dtmf"), TAG_END());
    return;
  }
  nua_respond(handle, SIP_200_OK, NUTAG_WITH_THIS(agent_.nua()), TAG_END());
  if (digit && state_ == State::answered && listener_ != nullptr) listener_->on_info_digit(id_, *digit);
}

void Dialog::on_bye(nua_handle_t* handle) {
  nua_respond(handle, SIP_200_OK, NUTAG_WITH_THIS(agent_.nua()), TAG_END());
  report_end({EndReason::far_hangup, 0, "", ""});
}

// Handles the answer to our BYE, or to sofia-sip's BYE, which it sends when the ACK for our 2xx does not
// arrive.
void Dialog::on_bye_answer(int status, const sip_t* sip) {
  if (status < 200) return;
  const bool is_internal = sip == nullptr || nta_sip_is_internal(sip);
  const bool is_challenge = !is_internal && (status == 401 || status == 407);
  if (is_challenge || (is_internal && status != 408)) {
    start_bye(is_challenge ? sip : nullptr);
  }
  close({EndReason::lost, 0, "the peer did not acknowledge our answer to its INVITE", ""});
  log_down(!is_internal && confirms_end(status));
}

void Dialog::on_state(tagi_t tags[]) {
  int state = nua_callstate_init;
  tl_gets(tags, NUTAG_CALLSTATE_REF(state), TAG_END());
  if (state != nua_callstate_terminated) return;
  // After our BYE, the dialog ends with its answer.
  if (bye_sent_) return;
  if (state_ == State::answered) {
    start_bye(nullptr);  // sofia-sip has dropped the dialog, but the peer may still be in it
    return close({EndReason::lost, 0, lost_why_.empty() ? "session terminated" : lost_why_, ""});
  }
  close({EndReason::far_hangup, 0, "session terminated", ""});
  log_down(true);
}

void Dialog::set_timer(int64_t delay_ms) {
  su_timer_set_interval(timer_, on_timer_event, this, static_cast<su_duration_t>(delay_ms));
}

void Dialog::on_timer_event(UserAgent* agent, su_timer_t*, HandleOwner* self) {
  const DialogId id = self->id();
  if (auto* dialog = static_cast<Dialog*>(self); dialog->is_left_ && dialog->state_ == State::answered)
    dialog->hangup();
  else
    self->on_timer();
  agent->reap(id);
}

void Dialog::trust(const lib::SocketAddress& address) {
  if (!address.valid() || trusts(address) || trusted_.size() == kMaxTrustedAddresses) return;
  trusted_.push_back(address);
  agent_.allow(address);
}

// Trusts the addresses of a message: its source, and the numeric hosts in Record-Route and Contact, where
// later requests may come from.
void Dialog::trust_source(const sip_t* sip) {
  const auto trust_host = [this](const url_t* url) {
    if (url->url_host == nullptr) return;
    std::string host = url->url_host;
    if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
    if (auto address = lib::SocketAddress::parse(host, 0)) trust(*address);
  };
  const auto from = source_of(nua_current_request(agent_.nua()));
  if (from.valid()) peer_ip_ = from.ip_text();
  trust(from);
  for (const sip_record_route_t* route = sip->sip_record_route; route != nullptr; route = route->r_next)
    trust_host(route->r_url);
  if (sip->sip_contact != nullptr) trust_host(sip->sip_contact->m_url);
}

bool Dialog::is_inside(const sip_t& answer) const {
  if (state_ != State::answered || answer.sip_call_id == nullptr || answer.sip_from == nullptr ||
      answer.sip_to == nullptr || call_id_ != answer.sip_call_id->i_id)
    return false;
  const auto has_tag = [](const std::string& party, const char* tag) {
    return tag != nullptr && tag_of(party) == tag;
  };
  const StoredDialog mine = stored();
  return has_tag(mine.from, answer.sip_from->a_tag) && has_tag(mine.to, answer.sip_to->a_tag);
}

// Requests that end the call have a limit of their own, so that a flood of others does not keep it up. An ACK
// takes no memory.
bool Dialog::takes(const sip_t& request, int64_t now_ms) {
  const auto method = request.sip_request->rq_method;
  if (method == sip_method_ack) return true;
  return method == sip_method_bye || method == sip_method_cancel ? ends_.take(now_ms)
                                                                 : requests_.take(now_ms);
}

// Compares as sofia-sip does, which looks dialogs up in any case.
bool Dialog::is_named_in(const sip_t& request) const {
  const auto has_tag = [](const std::string& party, const char* tag) {
    const std::string known = tag_of(party);
    return tag != nullptr && !known.empty() && strcasecmp(known.c_str(), tag) == 0;
  };
  const StoredDialog mine = stored();
  return (request.sip_from != nullptr && has_tag(mine.to, request.sip_from->a_tag)) ||
         (request.sip_to != nullptr && has_tag(mine.from, request.sip_to->a_tag));
}

bool Dialog::trusts(const lib::SocketAddress& address) const {
  return std::any_of(trusted_.begin(), trusted_.end(),
                     [&](const lib::SocketAddress& other) { return other.same_ip(address); });
}

}  // namespace patchbay::sip_trunk

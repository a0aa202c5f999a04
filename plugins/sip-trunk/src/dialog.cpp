#include "dialog.h"

#include <patchbay/text.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "digest.h"
#include "header_text.h"
#include "now_ms.h"
#include "sdp_body.h"
#include "sip_limits.h"
#include "user_agent.h"

namespace patchbay::sip_trunk {
namespace {

std::string_view body_of(const sip_t* sip) {
  if (sip == nullptr || sip->sip_payload == nullptr || sip->sip_payload->pl_data == nullptr) return {};
  const std::string_view body(sip->sip_payload->pl_data, sip->sip_payload->pl_len);
  const sip_content_type_t* type = sip->sip_content_type;
  if (type == nullptr || type->c_type == nullptr) return body;
  std::string text = type->c_type;
  if (const char* boundary = msg_params_find(type->c_params, "boundary="))
    text += std::string(";boundary=") + boundary;
  return find_sdp(text, body);
}

std::string printable(const char* phrase) {
  return phrase != nullptr ? printable_ascii(phrase, kMaxShownBytes) : std::string();
}

// Collects the reasons that an answer gives: Reason (RFC 3326), Warning, Retry-After.
std::string explanation(const sip_t* sip) {
  std::string out;
  const auto add = [&out](const char* name, const auto* header) {
    const std::string text = printable(header_text(header).c_str());
    if (!text.empty()) out += (out.empty() ? "" : ", ") + std::string(name) + " " + text;
  };
  add("Reason", sip->sip_reason);
  add("Warning", sip->sip_warning);
  add("Retry-After", sip->sip_retry_after);
  return out;
}

}  // namespace

Dialog::Dialog(UserAgent& agent, DialogId id, Invite invite, DialogListener& listener)
    : agent_(agent), listener_(&listener), id_(id), invite_(std::move(invite)) {}

Dialog::~Dialog() {
  if (timer_ != nullptr) su_timer_destroy(timer_);
  for (const auto& address : trusted_) agent_.forbid(address);
}

void Dialog::start() {
  timer_ = su_timer_create(su_root_task(agent_.root()), kDialogLingerMs);
  if (is_tcp() && !agent_.options().tcp)
    return close({EndReason::transport, 0, "SIP over TCP is not enabled", ""});
  started_ms_ = now_ms();
  send_invite();
}

void Dialog::send_invite() {
  // Uses a new handle per attempt, because a final answer ends the old one and nua must not handle the
  // credentials.
  handle_ = NuaHandle(agent_.nua(), this, agent_.handle_count());
  if (handle_.get() == nullptr) return close({EndReason::transport, 0, "out of memory", ""});
  trust(target());
  if (is_tcp()) agent_.use_tcp(target());
  got_answer_ = false;
  invite_sent_ms_ = now_ms();
  set_timer(agent_.options().silence_timeout_ms);
  // Sofia-sip increments the given CSeq: the first INVITE has CSeq 2, the one with credentials 3.
  const std::string sequence = std::to_string(++sequence_) + " INVITE";
  const std::string proxy = numeric_url(target(), is_tcp());
  const std::string contact = agent_.contact_for(target(), invite_.call.trunk.transport);
  nua_invite(
      handle_.get(), NUTAG_URL(invite_.uri.c_str()), NUTAG_PROXY(proxy.c_str()),
      SIPTAG_FROM_STR(invite_.from.c_str()), SIPTAG_TO_STR(invite_.to.c_str()),
      SIPTAG_CALL_ID_STR(invite_.call_id.c_str()), SIPTAG_CSEQ_STR(sequence.c_str()),
      TAG_IF(!contact.empty(), SIPTAG_CONTACT_STR(contact.c_str())),
      TAG_IF(!invite_.preferred_identity.empty(), SIPTAG_HEADER_STR(invite_.preferred_identity.c_str())),
      TAG_IF(!invite_.privacy.empty(), SIPTAG_PRIVACY_STR(invite_.privacy.c_str())),
      TAG_IF(!authorization_.empty(), SIPTAG_AUTHORIZATION_STR(authorization_.c_str())),
      TAG_IF(!proxy_authorization_.empty(), SIPTAG_PROXY_AUTHORIZATION_STR(proxy_authorization_.c_str())),
      SIPTAG_CONTENT_TYPE_STR("application/sdp"), SIPTAG_PAYLOAD_STR(invite_.call.offer.c_str()), TAG_END());
}

void Dialog::hangup() {
  if (state_ == State::ended) return;
  const bool answered = state_ == State::answered;
  hang_up_peer();
  report_end({answered ? EndReason::local_hangup : EndReason::cancelled, 0, "", ""});
}

// Sends BYE if the call was answered, else CANCEL, which sofia-sip delays until a provisional answer allows
// it (RFC 3261 section 9.1).
void Dialog::hang_up_peer() {
  if (state_ == State::answered || (state_ == State::ended && !bye_sent_)) {
    bye_sent_ = true;
    nua_bye(handle_.get(), TAG_END());
  } else if (state_ != State::ended) {
    nua_cancel(handle_.get(), TAG_END());
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
  agent_.start_bye(stored(), invite_.call.trunk, challenge);
}

void Dialog::log_down(bool confirmed) {
  if (std::exchange(is_logged_, false) && agent_.options().log != nullptr)
    agent_.options().log->dialog_down(stored(), confirmed);
}

StoredDialog Dialog::stored() const {
  std::string routes;
  for (const std::string& route : route_.routes) routes += (routes.empty() ? "" : ", ") + route;
  const OutboundCall& call = invite_.call;
  return {invite_.call_id, call.tenant, call.trunk_id,   invite_.from, route_.to,
          route_.target,   routes,      route_.next_hop, sequence_ + 1};
}

// Reports the end to the listener, then lingers for late answers to the INVITE.
void Dialog::report_end(const DialogEnd& ended) {
  if (state_ == State::ended) return;
  state_ = State::ended;
  reoffer_pending_ = false;
  set_timer(kDialogLingerMs);
  std::exchange(listener_, nullptr)->on_ended(id_, ended);
}

void Dialog::on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle,
                      const sip_t* sip, tagi_t tags[]) {
  if (handle != handle_.get()) return;  // an event of an earlier attempt
  switch (event) {
    case nua_r_invite:
      return on_invite_answer(status, phrase, sip);
    case nua_i_invite:
      return on_reinvite(handle, sip);
    case nua_i_ack:
      if (std::exchange(reoffer_pending_, false)) listener_->on_reanswer(id_, body_of(sip));
      return;
    case nua_i_bye:
      return on_bye(handle);
    case nua_r_bye:
      return on_bye_answer(status, sip);
    case nua_i_state:
      return on_state(tags);
    default:
      return;
  }
}

void Dialog::on_invite_answer(int status, const char* phrase, const sip_t* sip) {
  if (sip != nullptr && nta_sip_is_internal(sip)) sip = nullptr;  // made up by sofia-sip, not received
  if (sip != nullptr) trust_source(sip);
  if (status < 200) return on_provisional(status, sip);
  if (status < 300) return on_success(sip);
  if (sip != nullptr && retry_with_credentials(status, sip)) return;
  on_failure(status, phrase, sip);
}

void Dialog::on_provisional(int status, const sip_t* sip) {
  if (state_ != State::calling) return;
  if (!std::exchange(got_answer_, true))
    set_timer(std::max<int64_t>(0, started_ms_ + invite_.call.no_answer_timeout_ms - now_ms()));
  if (status == 100) return;
  rang_ = true;
  const auto sdp = body_of(sip);
  if (!sdp.empty()) sdp_ = sdp;
  listener_->on_progress(id_, status, sdp, peer_ip_);
}

void Dialog::on_success(const sip_t* sip) {
  if (state_ == State::answered || sip == nullptr) return;
  acknowledge(sip);
  if (state_ == State::ended) return hang_up_peer();  // crossed our CANCEL, or came too late
  const auto sdp = body_of(sip);
  if (!sdp.empty()) sdp_ = sdp;
  state_ = State::answered;
  if (sdp_.empty()) {
    hang_up_peer();
    return report_end({EndReason::no_media, 200, "answered without SDP", ""});
  }
  su_timer_reset(timer_);
  listener_->on_answered(id_, sdp_, peer_ip_);
}

// Sends the ACK. It and later requests go to a numeric address: see DialogRoute.
void Dialog::acknowledge(const sip_t* sip) {
  const OpenTransports open{target().family(), agent_.options().tcp};
  route_ = dialog_route(*sip, invite_.uri, numeric_url(target(), is_tcp()), open);
  const lib::SocketAddress hop = address_of_url(route_.next_hop);
  trust(hop);
  if (route_.next_hop.find(";transport=tcp") != std::string::npos) agent_.use_tcp(hop);
  is_logged_ = true;
  if (agent_.options().log != nullptr) agent_.options().log->dialog_up(stored());
  nua_set_hparams(handle_.get(), NUTAG_PROXY(route_.next_hop.c_str()), TAG_END());
  nua_ack(handle_.get(), TAG_END());
}

void Dialog::on_failure(int status, const char* phrase, const sip_t* sip) {
  if (sip != nullptr) {
    const std::string why = explanation(sip);
    const std::string detail = refusal_.empty() || why.empty() ? refusal_ + why : refusal_ + ", " + why;
    return close({EndReason::rejected, status, printable(phrase), detail});
  }
  // Made up by sofia-sip: 408 if no answer came, any other status if the request could not be sent.
  const EndReason reason = status == 408 ? EndReason::silence : EndReason::transport;
  if (state_ == State::calling && try_next_target(reason)) return;
  close({reason, 0, printable(phrase), ""});
}

// Tries the host's next address. Over TCP tries the same one again first, because the connection may have
// died unnoticed.
bool Dialog::try_next_target(EndReason reason) {
  if (rang_) return false;
  if (is_tcp() && reason == EndReason::transport && !std::exchange(tcp_retried_, true)) {
    const int64_t spent_ms = now_ms() - invite_sent_ms_;
    send_invite();
    set_timer(std::max<int64_t>(kMinTcpRetryMs, agent_.options().silence_timeout_ms - spent_ms));
    return true;
  }
  if (target_ + 1 >= invite_.call.targets.size()) return false;
  ++target_;
  started_ms_ = now_ms();  // each address may ring for the caller's whole timeout
  send_invite();
  return true;
}

// A 401 may follow our answer to a 407, because a proxy and the server behind it challenge separately.
bool Dialog::retry_with_credentials(int status, const sip_t* sip) {
  if ((status != 401 && status != 407) || state_ != State::calling) return false;
  std::string& mine = status == 407 ? proxy_authorization_ : authorization_;
  if (!mine.empty() && !is_stale(*sip)) {
    refusal_ = "the trunk does not accept the username or password";
    return false;
  }
  if (credentials_sent_ == kMaxCredentialTries) return false;
  auto credentials = digest_answer(*sip, invite_.call.trunk, {"INVITE", invite_.uri, invite_.call.offer});
  if (!credentials) {
    refusal_ = credentials.error().text;
    return false;
  }
  mine = *std::move(credentials);
  ++credentials_sent_;
  send_invite();
  return true;
}

void Dialog::on_reinvite(nua_handle_t* handle, const sip_t* sip) {
  nua_t* nua = agent_.nua();
  if (state_ != State::answered) {
    nua_respond(handle, SIP_491_REQUEST_PENDING, NUTAG_WITH_THIS(nua), TAG_END());
    return;
  }
  const auto offer = body_of(sip);
  const std::string answer = listener_->on_reoffer(id_, offer);
  if (answer.empty()) {
    nua_respond(handle, SIP_488_NOT_ACCEPTABLE, NUTAG_WITH_THIS(nua), TAG_END());
    return;
  }
  reoffer_pending_ = offer.empty();
  nua_respond(handle, SIP_200_OK, NUTAG_WITH_THIS(nua), SIPTAG_CONTENT_TYPE_STR("application/sdp"),
              SIPTAG_PAYLOAD_STR(answer.c_str()), TAG_END());
}

void Dialog::on_bye(nua_handle_t* handle) {
  nua_respond(handle, SIP_200_OK, NUTAG_WITH_THIS(agent_.nua()), TAG_END());
  report_end({EndReason::far_hangup, 0, "", ""});
}

// Handles the answer to our BYE, or to the one that sofia-sip sends when the ACK for a re-INVITE does not
// come.
void Dialog::on_bye_answer(int status, const sip_t* sip) {
  if (status < 200) return;
  const bool is_internal = sip == nullptr || nta_sip_is_internal(sip);
  const bool is_challenge = !is_internal && (status == 401 || status == 407);
  if (is_challenge || (is_internal && status != 408)) {
    start_bye(is_challenge ? sip : nullptr);
  }
  close({EndReason::lost, 0, "the peer did not acknowledge our answer to its re-INVITE", ""});
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
    return close({EndReason::lost, 0, "session terminated", ""});
  }
  close({EndReason::far_hangup, 0, "session terminated", ""});
  log_down(true);
}

void Dialog::set_timer(int64_t delay_ms) {
  su_timer_set_interval(timer_, on_timer_event, this, static_cast<su_duration_t>(delay_ms));
}

void Dialog::on_timer_event(UserAgent* agent, su_timer_t*, HandleOwner* self) {
  const DialogId id = self->id();
  self->on_timer();
  agent->reap(id);
}

void Dialog::on_timer() {
  switch (state_) {
    case State::calling:
      if (!got_answer_) return on_silence();
      hang_up_peer();
      return report_end({EndReason::no_answer, 0, rang_ ? "rang out" : "the trunk reported no ringing", ""});
    case State::answered:
      return;
    case State::ended:
      closed_ = true;
      return;
  }
}

// Keeps the INVITE at sofia-sip, so that a late answer is cancelled or hung up.
void Dialog::on_silence() {
  if (try_next_target(EndReason::silence)) return;
  hang_up_peer();
  report_end({EndReason::silence, 0, "no answer of any kind", ""});
}

void Dialog::trust(const lib::SocketAddress& address) {
  if (!address.valid() || trusts(address) || trusted_.size() == kMaxTrustedAddresses) return;
  trusted_.push_back(address);
  agent_.allow(address);
}

// Trusts the addresses of an answer: its source, and the numeric hosts in Record-Route and Contact, where
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

bool Dialog::awaits(const sip_t& answer) const {
  if (answer.sip_call_id == nullptr || answer.sip_from == nullptr || answer.sip_cseq == nullptr) return false;
  if (invite_.call_id != answer.sip_call_id->i_id || answer.sip_cseq->cs_seq != sequence_ + 1) return false;
  const char* tag = answer.sip_from->a_tag;
  if (tag == nullptr || !invite_.from.ends_with(std::string(";tag=") + tag)) return false;
  return route_.to.empty() || route_.to == header_text(answer.sip_to);
}

bool Dialog::trusts(const lib::SocketAddress& address) const {
  return std::any_of(trusted_.begin(), trusted_.end(),
                     [&](const lib::SocketAddress& other) { return other.same_ip(address); });
}

}  // namespace patchbay::sip_trunk

#include "dialogs/outbound_dialog.h"

#include <patchbay/text.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "dialogs/digest.h"
#include "now_ms.h"
#include "stack/header_text.h"
#include "stack/sip_limits.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {
namespace {

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

OutboundDialog::OutboundDialog(UserAgent& agent, DialogId id, Invite invite, DialogListener& listener)
    : Dialog(agent, id, invite.call_id, &listener),
      invite_(std::move(invite)),
      session_sec_(invite_.call.trunk.session_sec),
      uses_100rel_(invite_.call.trunk.offers_100rel) {}

void OutboundDialog::start() {
  const bool is_open = transport() == Transport::udp ||
                       (transport() == Transport::tcp ? agent_.options().tcp : agent_.options().tls);
  if (!is_open)
    return close(
        {EndReason::transport, 0, "", std::string("SIP over ") + name_of(transport()) + " is not open"});
  started_ms_ = now_ms();
  send_invite();
}

void OutboundDialog::send_invite() {
  // Uses a new handle per attempt, because a final answer ends the old one and nua must not handle the
  // credentials.
  handle_ = NuaHandle(agent_.nua(), this, agent_.handle_count());
  if (handle_.get() == nullptr) return close({EndReason::transport, 0, "out of memory", ""});
  allow_methods();
  trust(target());
  const std::string proxy = numeric_url(target(), transport(), target_host());
  if (const Status usable = agent_.use_hop(proxy); !usable) return on_unusable(usable.error().text);
  got_answer_ = false;
  invite_sent_ms_ = now_ms();
  set_timer(agent_.options().silence_timeout_ms);
  // Sofia-sip increments the given CSeq: the first INVITE has CSeq 2, the one with credentials 3.
  const std::string sequence = std::to_string(++sequence_) + " INVITE";
  const std::string contact = agent_.contact_for(target(), transport());
  const std::string session = std::to_string(session_sec_);
  // The dialog with a telephone is never replaced.
  const std::string supported =
      std::string("timer") + (uses_100rel_ ? ", 100rel" : "") + (invite_.call.contact ? "" : ", replaces");
  nua_invite(
      handle_.get(), NUTAG_URL(invite_.uri.c_str()), NUTAG_PROXY(proxy.c_str()),
      SIPTAG_FROM_STR(invite_.from.c_str()), SIPTAG_TO_STR(invite_.to.c_str()),
      SIPTAG_CALL_ID_STR(invite_.call_id.c_str()), SIPTAG_CSEQ_STR(sequence.c_str()),
      TAG_IF(!contact.empty(), SIPTAG_CONTACT_STR(contact.c_str())), SIPTAG_SUPPORTED_STR(supported.c_str()),
      TAG_IF(!invite_.call.replaces.empty(), SIPTAG_REPLACES_STR(invite_.call.replaces.c_str())),
      TAG_IF(session_sec_ > 0, SIPTAG_SESSION_EXPIRES_STR(session.c_str())),
      TAG_IF(!invite_.identity.empty(), SIPTAG_HEADER_STR(invite_.identity.c_str())),
      TAG_IF(!invite_.privacy.empty(), SIPTAG_PRIVACY_STR(invite_.privacy.c_str())),
      TAG_IF(!authorization_.empty(), SIPTAG_AUTHORIZATION_STR(authorization_.c_str())),
      TAG_IF(!proxy_authorization_.empty(), SIPTAG_PROXY_AUTHORIZATION_STR(proxy_authorization_.c_str())),
      SIPTAG_CONTENT_TYPE_STR("application/sdp"), SIPTAG_PAYLOAD_STR(invite_.call.offer.c_str()), TAG_END());
}

// Sends CANCEL, which sofia-sip delays until a provisional answer allows it (RFC 3261 section 9.1).
void OutboundDialog::cancel() {
  nua_cancel(handle_.get(), TAG_IF(!cancel_reason_.empty(), SIPTAG_REASON_STR(cancel_reason_.c_str())),
             TAG_END());
}

StoredDialog OutboundDialog::stored() const {
  std::string routes;
  for (const std::string& route : route_.routes) routes += (routes.empty() ? "" : ", ") + route;
  const OutboundCall& call = invite_.call;
  return {invite_.call_id, call.tenant, call.trunk_id,   invite_.from, route_.to,
          route_.target,   routes,      route_.next_hop, sequence_ + 1};
}

void OutboundDialog::on_invite_event(nua_event_t event, int status, const char* phrase, const sip_t* sip) {
  if (event != nua_r_invite) return;
  if (sip != nullptr && nta_sip_is_internal(sip)) sip = nullptr;  // made up by sofia-sip, not received
  if (sip != nullptr) trust_source(sip);
  if (status < 200) return on_provisional(status, sip);
  if (status < 300) return on_success(sip);
  if (sip != nullptr && (retry_with_credentials(status, sip) || retry_as_asked(status, *sip))) return;
  on_failure(status, phrase, sip);
}

void OutboundDialog::on_provisional(int status, const sip_t* sip) {
  if (state_ != State::calling) return;
  if (!std::exchange(got_answer_, true))
    set_timer(std::max<int64_t>(0, started_ms_ + invite_.call.no_answer_timeout_ms - now_ms()));
  if (status == 100) return;
  rang_ = true;
  const auto sdp = sdp_of(sip);
  if (!sdp.empty()) sdp_ = sdp;
  listener_->on_progress(id(), status, sdp, peer_ip_);
}

void OutboundDialog::on_success(const sip_t* sip) {
  if (state_ == State::answered || sip == nullptr) return;
  acknowledge(sip);
  if (state_ == State::ended) return hang_up_peer();  // crossed our CANCEL, or came too late
  const auto sdp = sdp_of(sip);
  if (!sdp.empty()) sdp_ = sdp;
  state_ = State::answered;
  if (sdp_.empty()) {
    hang_up_peer();
    return report_end({EndReason::no_media, 200, "answered without SDP", ""});
  }
  su_timer_reset(timer_);
  listener_->on_answered(id(), sdp_, peer_ip_);
}

// Sends the ACK. It and later requests go to a numeric address: see DialogRoute.
void OutboundDialog::acknowledge(const sip_t* sip) {
  note_methods(sip);
  const OpenTransports open{target().family(), agent_.options().tcp, transport() == Transport::tls,
                            target_host()};
  const std::string here = numeric_url(target(), transport(), target_host());
  route_ = dialog_route(*sip, invite_.uri, here, open);
  // A telephone is often behind NAT, where its Contact is not reachable.
  if (invite_.call.contact) route_.next_hop = here;
  if (!agent_.use_hop(route_.next_hop)) route_.next_hop = here;  // its certificate is for another host
  trust(hop_of_url(route_.next_hop).address);
  log_up();
  take_session(
      terms_as_asker(read_session(nua_current_request(agent_.nua())), agent_.options().min_session_sec));
  nua_set_hparams(handle_.get(), NUTAG_PROXY(route_.next_hop.c_str()), TAG_END());
  nua_ack(handle_.get(), TAG_END());
}

void OutboundDialog::on_failure(int status, const char* phrase, const sip_t* sip) {
  if (sip != nullptr) {
    // RFC 3263 section 4.3: another server of the trunk may be able to.
    if (status >= 500 && status < 600 && state_ == State::calling && try_next_target(EndReason::rejected))
      return;
    const std::string why = explanation(sip);
    const std::string detail = refusal_.empty() || why.empty() ? refusal_ + why : refusal_ + ", " + why;
    return close({EndReason::rejected, status, printable(phrase), detail});
  }
  // Made up by sofia-sip: 408 if no answer came, any other status if the request could not be sent.
  const EndReason reason = status == 408 ? EndReason::silence : EndReason::transport;
  const std::string why = transport() == Transport::tls ? agent_.tls_failure(target()) : std::string();
  if (!why.empty()) return on_unusable(why);
  if (state_ == State::calling && try_next_target(reason)) return;
  close({reason, 0, printable(phrase), ""});
}

void OutboundDialog::on_unreachable(const lib::SocketAddress& peer, const std::string& why) {
  if (state_ == State::calling && !got_answer_ && transport() == Transport::tls && target() == peer)
    on_unusable(why);
}

// No connection to the target can be used, whose reason may concern only this one.
void OutboundDialog::on_unusable(const std::string& why) {
  tcp_retried_ = true;  // a second connection would not differ
  if (state_ == State::calling && try_next_target(EndReason::transport)) return;
  close({EndReason::transport, 0, "", "no TLS with " + target_host() + " (" + target().text() + "): " + why});
}

// Tries the host's next address. Over TCP tries the same one again first, because the connection may have
// died unnoticed.
bool OutboundDialog::try_next_target(EndReason reason) {
  if (rang_) return false;
  if (transport() != Transport::udp && reason == EndReason::transport && !std::exchange(tcp_retried_, true)) {
    const int64_t spent_ms = now_ms() - invite_sent_ms_;
    send_invite();
    set_timer(std::max<int64_t>(kMinTcpRetryMs, agent_.options().silence_timeout_ms - spent_ms));
    return true;
  }
  if (target_ + 1 >= invite_.call.targets.size()) return false;
  ++target_;
  authorization_.clear();  // because nonces are valid at one server only
  proxy_authorization_.clear();
  refusal_.clear();
  credentials_sent_ = 0;
  started_ms_ = now_ms();  // each address may ring for the caller's whole timeout
  send_invite();
  return true;
}

// 422 names a longer session interval (RFC 4028 section 7.3), 421 that the trunk insists on reliable ringing.
// That is not offered by default: sofia-sip follows only the first of several phones that ring reliably.
bool OutboundDialog::retry_as_asked(int status, const sip_t& sip) {
  if (state_ != State::calling || rang_) return false;
  if (status == 421 && sip_has_feature(sip.sip_require, "100rel") && !std::exchange(uses_100rel_, true)) {
    send_invite();
    return true;
  }
  const int64_t least = status == 422 ? read_session(nua_current_request(agent_.nua())).min_sec : 0;
  if (least <= session_sec_) return false;
  session_sec_ = least;
  send_invite();
  return true;
}

// A 401 may follow our answer to a 407, because a proxy and the server behind it challenge separately.
bool OutboundDialog::retry_with_credentials(int status, const sip_t* sip) {
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

void OutboundDialog::on_timer() {
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
void OutboundDialog::on_silence() {
  if (try_next_target(EndReason::silence)) return;
  hang_up_peer();
  report_end({EndReason::silence, 0, "no answer of any kind", ""});
}

bool OutboundDialog::awaits(const sip_t& answer) const {
  if (answer.sip_call_id == nullptr || answer.sip_from == nullptr || answer.sip_cseq == nullptr) return false;
  if (invite_.call_id != answer.sip_call_id->i_id || answer.sip_cseq->cs_seq != sequence_ + 1) return false;
  const char* tag = answer.sip_from->a_tag;
  if (tag == nullptr || !invite_.from.ends_with(std::string(";tag=") + tag)) return false;
  return route_.to.empty() || route_.to == header_text(answer.sip_to);
}

}  // namespace patchbay::sip_trunk

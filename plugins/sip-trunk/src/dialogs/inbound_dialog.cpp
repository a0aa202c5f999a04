#include "dialogs/inbound_dialog.h"

#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>
#include <patchbay/utf8.h>
#include <strings.h>

#include <algorithm>
#include <utility>

#include "now_ms.h"
#include "stack/header_text.h"
#include "stack/sip_limits.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {
namespace {

// The user part of a URL without its parameters (";phone-context="), decoded.
std::string user_of(const url_t* url) {
  if (url == nullptr || url->url_user == nullptr) return {};
  const std::string_view user(url->url_user);
  return percent_decode(user.substr(0, user.find(';'))).value_or("");
}

std::string display_text(const char* display) {
  std::string_view text = display != nullptr ? display : "";
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != 0x7F) out += text[i];
  }
  return std::string(clip_utf8(valid_utf8(out), kMaxDisplayNameBytes));
}

// The first address of P-Asserted-Identity (RFC 3325), which sofia-sip keeps as an unknown header.
void read_asserted_identity(const sip_t& invite, InboundInvite& out) {
  for (const msg_unknown_t* header = invite.sip_unknown; header != nullptr; header = header->un_next) {
    if (header->un_name == nullptr || strcasecmp(header->un_name, "P-Asserted-Identity") != 0) continue;
    su_home_t home[1] = {SU_HOME_INIT(home)};
    const sip_contact_t* list = sip_contact_make(home, header->un_value);
    if (list != nullptr && !user_of(list->m_url).empty()) {
      out.calling_user = user_of(list->m_url);
      if (list->m_display != nullptr) out.display_name = display_text(list->m_display);
    }
    su_home_deinit(home);
    return;
  }
}

bool withholds_number(const sip_t& invite) {
  const sip_privacy_t* privacy = invite.sip_privacy;
  if (privacy == nullptr || privacy->priv_values == nullptr) return false;
  for (const msg_param_t* value = privacy->priv_values; *value != nullptr; ++value)
    if (strcasecmp(*value, "id") == 0 || strcasecmp(*value, "user") == 0) return true;
  return false;
}

// Requests go over the connection that the INVITE came on, because only that is known to be the trunk's; a
// new one is verified by the trunk's host.
lib::SocketAddress tls_contact(const sip_t& invite, int family) {
  return hop_of_url(inbound_route(invite, "", {family, false, true, "contact.invalid"}).next_hop).address;
}

}  // namespace

InboundInvite read_invite(const sip_t& invite, const lib::SocketAddress& source) {
  InboundInvite out;
  out.source = source;
  out.call_id = printable_ascii(invite.sip_call_id->i_id, kMaxShownBytes);
  out.called_user = user_of(invite.sip_request->rq_url);
  out.to_user = user_of(invite.sip_to->a_url);
  out.calling_user = user_of(invite.sip_from->a_url);
  out.display_name = display_text(invite.sip_from->a_display);
  read_asserted_identity(invite, out);
  if (withholds_number(invite)) out.calling_user = out.display_name = "";
  out.sdp = sdp_of(&invite);
  return out;
}

InboundDialog::InboundDialog(UserAgent& agent, DialogId id, nua_handle_t* handle, const sip_t& invite,
                             lib::SocketAddress source)
    : Dialog(agent, id, invite.sip_call_id->i_id, nullptr),
      source_(source),
      transport_(transport_of_via(invite)),
      has_offer_(!sdp_of(&invite).empty()),
      session_asked_(read_session(nua_current_request(agent.nua()))),
      route_(inbound_route(invite, numeric_url(source, transport_),
                           {source.family(), agent.options().tcp, transport_ == Transport::tls})),
      tls_contact_(transport_ == Transport::tls ? tls_contact(invite, source.family())
                                                : lib::SocketAddress()),
      contact_(agent.contact_for(source, transport_)) {
  handle_ = NuaHandle(handle, this, agent.handle_count());
  trust_source(&invite);
  note_methods(&invite);
  trust(hop_of_url(route_.next_hop).address);
  (void)agent.use_hop(route_.next_hop);
  nua_set_hparams(handle, NUTAG_PROXY(route_.next_hop.c_str()), TAG_END());
  give_up_ms_ = now_ms() + kMaxOfferedMs;
  set_timer(kMaxOfferedMs);
}

void InboundDialog::take(CallOwner owner, DialogListener& listener) {
  owner_ = std::move(owner);
  listener_ = &listener;
  allow_methods();
  give_up_ms_ = now_ms() + kMaxInboundRingMs;
  set_timer(std::min<int64_t>(kRingRepeatMs, kMaxInboundRingMs));
}

void InboundDialog::ring(int status, const std::string& sdp) {
  if (state_ != State::calling) return;
  ringing_status_ = status;
  ringing_sdp_ = sdp;
  send_ringing();
}

void InboundDialog::send_ringing() {
  const char* phrase = ringing_status_ == 183 ? sip_183_Session_progress : sip_180_Ringing;
  nua_respond(handle_.get(), ringing_status_, phrase,
              TAG_IF(!contact_.empty(), SIPTAG_CONTACT_STR(contact_.c_str())),
              TAG_IF(!ringing_sdp_.empty(), SIPTAG_CONTENT_TYPE_STR("application/sdp")),
              TAG_IF(!ringing_sdp_.empty(), SIPTAG_PAYLOAD_STR(ringing_sdp_.c_str())), TAG_END());
}

void InboundDialog::answer(const std::string& sdp) {
  if (state_ != State::calling) return;
  state_ = State::answered;
  reoffer_pending_ = !has_offer_;
  su_timer_reset(timer_);
  const SessionTerms terms = terms_as_answerer(session_asked_, agent_.options().min_session_sec);
  const SessionAnswer session = session_answer(session_asked_, terms);
  take_session(terms);
  nua_respond(
      handle_.get(), SIP_200_OK, TAG_IF(!contact_.empty(), SIPTAG_CONTACT_STR(contact_.c_str())),
      TAG_IF(!session.session_expires.empty(), SIPTAG_SESSION_EXPIRES_STR(session.session_expires.c_str())),
      TAG_IF(!session.require.empty(), SIPTAG_REQUIRE_STR(session.require.c_str())),
      SIPTAG_CONTENT_TYPE_STR("application/sdp"), SIPTAG_PAYLOAD_STR(sdp.c_str()), TAG_END());
}

void InboundDialog::refuse(const Refusal& refusal) {
  if (state_ != State::calling) return;
  const std::string retry = std::to_string(refusal.retry_after_sec);
  // nua keeps the pointer to the phrase until it sends the answer.
  const char* const phrase = sip_status_phrase(refusal.status);
  nua_respond(handle_.get(), refusal.status, phrase != nullptr ? phrase : "Refused",
              TAG_IF(refusal.retry_after_sec > 0, SIPTAG_RETRY_AFTER_STR(retry.c_str())),
              TAG_IF(!refusal.warning.empty(), SIPTAG_WARNING_STR(refusal.warning.c_str())), TAG_END());
  close({EndReason::cancelled, refusal.status, refusal.phrase, ""});
}

void InboundDialog::cancel() {
  nua_respond(handle_.get(), SIP_480_TEMPORARILY_UNAVAILABLE, TAG_END());
  closed_ = true;
}

// sofia-sip reports CANCEL only before a final answer has left, whatever we have asked it to send since.
void InboundDialog::on_invite_event(nua_event_t event, int, const char*, const sip_t*) {
  if (event == nua_i_cancel) close({EndReason::far_hangup, 487, "cancelled", ""});
}

void InboundDialog::on_ack(const sip_t* sip) {
  if (std::exchange(acknowledged_, true) || sip == nullptr) return;
  local_ = header_text(sip->sip_to);
  log_up();
}

StoredDialog InboundDialog::stored() const {
  std::string routes;
  for (const std::string& route : route_.routes) routes += (routes.empty() ? "" : ", ") + route;
  // For a BYE when the connection is gone.
  const std::string next_hop =
      tls_contact_.valid() ? numeric_url(tls_contact_, Transport::tls, owner_.trunk.host) : route_.next_hop;
  return {call_id(), owner_.tenant, owner_.trunk_id, local_, route_.to, route_.target, routes, next_hop, 0};
}

void InboundDialog::on_timer() {
  if (state_ == State::ended) closed_ = true;
  if (state_ != State::calling) return;
  if (now_ms() >= give_up_ms_) {
    cancel();
    return report_end({EndReason::no_answer, 480, "the call was not answered in time", ""});
  }
  if (ringing_status_ != 0) send_ringing();
  set_timer(std::clamp<int64_t>(give_up_ms_ - now_ms(), 1, kRingRepeatMs));
}

}  // namespace patchbay::sip_trunk

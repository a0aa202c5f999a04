#include "dialog.h"

#include <algorithm>
#include <utility>

#include "agent.h"
#include "digest.h"

namespace patchbay::sip_trunk {
namespace {

constexpr uint32_t kLingerMs = 40'000;  // beyond the 32 s in which a last answer may come (RFC 3261 timer B)
constexpr uint32_t kMaxCredentialTries = 2;  // the second one only for a nonce that went stale
constexpr size_t kMaxTrusted = 16;

std::string_view body_of(const sip_t* sip) {
  if (sip == nullptr || sip->sip_payload == nullptr || sip->sip_payload->pl_data == nullptr) return {};
  const bool is_sdp = sip->sip_content_type == nullptr || sip->sip_content_type->c_type == nullptr ||
                      std::string_view(sip->sip_content_type->c_type) == "application/sdp";
  if (!is_sdp) return {};
  return {sip->sip_payload->pl_data, sip->sip_payload->pl_len};
}

std::string printable(const char* phrase) {
  std::string out;
  for (const char* c = phrase; c != nullptr && *c != '\0' && out.size() < 200; ++c)
    if (*c >= ' ' && *c < 0x7F) out += *c;
  return out;
}

}  // namespace

Handle::Handle(nua_t* nua, Dialog* dialog, std::atomic<size_t>& count)
    : handle_(nua_handle(nua, dialog, TAG_END())), count_(&count) {
  if (handle_ != nullptr) ++count;
}

Handle::Handle(Handle&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), count_(other.count_) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(count_, other.count_);
  return *this;
}

Handle::~Handle() {
  if (handle_ == nullptr) return;
  nua_handle_bind(handle_, nullptr);
  nua_handle_destroy(handle_);
  --*count_;
}

Dialog::Dialog(Agent& agent, DialogId id, Invite invite, DialogListener& listener)
    : agent_(agent), listener_(listener), id_(id), invite_(std::move(invite)) {}

Dialog::~Dialog() {
  if (timer_ != nullptr) su_timer_destroy(timer_);
}

void Dialog::start() {
  timer_ = su_timer_create(su_root_task(agent_.root()), kLingerMs);
  set_timer(invite_.call.no_answer_timeout_ms);
  send_invite(nullptr);
}

void Dialog::send_invite(msg_header_t* credentials) {
  // Each try has a handle of its own: a final answer ends the old one, and nua is not let near the
  // credentials.
  handle_ = Handle(agent_.nua(), this, agent_.handle_count());
  if (handle_.get() == nullptr) {
    end({EndReason::transport, 0, "out of memory"});
    finished_ = true;
    return;
  }
  // Sofia-sip counts on from what it is given: the first INVITE has CSeq 2, the one with credentials 3.
  const std::string sequence = std::to_string(++sequence_) + " INVITE";
  nua_invite(
      handle_.get(), NUTAG_URL(invite_.uri.c_str()), SIPTAG_FROM_STR(invite_.from.c_str()),
      SIPTAG_TO_STR(invite_.to.c_str()), SIPTAG_CALL_ID_STR(invite_.call_id.c_str()),
      SIPTAG_CSEQ_STR(sequence.c_str()),
      TAG_IF(credentials != nullptr, SIPTAG_HEADER(reinterpret_cast<const sip_header_t*>(credentials))),
      SIPTAG_CONTENT_TYPE_STR("application/sdp"), SIPTAG_PAYLOAD_STR(invite_.call.offer.c_str()), TAG_END());
}

void Dialog::hangup() {
  if (state_ == State::ended) return;
  const bool answered = state_ == State::answered;
  hang_up_peer();
  end({answered ? EndReason::local_hangup : EndReason::cancelled, 0, {}});
}

void Dialog::abandon() { hangup(); }

// BYE when there is a dialog; else CANCEL, which sofia-sip keeps back until a provisional answer allows it.
void Dialog::hang_up_peer() {
  if (state_ == State::answered || (state_ == State::ended && !said_bye_)) {
    said_bye_ = true;
    nua_bye(handle_.get(), TAG_END());
  } else if (state_ != State::ended) {
    nua_cancel(handle_.get(), TAG_END());
  }
}

void Dialog::end(const Ended& ended) {
  if (state_ == State::ended) return;
  state_ = State::ended;
  set_timer(kLingerMs);
  listener_.on_ended(id_, ended);
}

void Dialog::on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle,
                      const sip_t* sip, tagi_t tags[]) {
  if (handle != handle_.get()) return;  // an earlier try, before its credentials
  switch (event) {
    case nua_r_invite:
      return on_invite_answer(status, phrase, sip);
    case nua_i_invite:
      return on_reinvite(handle, sip);
    case nua_i_ack:
      if (std::exchange(offered_again_, false)) listener_.on_reanswer(id_, body_of(sip));
      return;
    case nua_i_bye:
      return on_bye(handle);
    case nua_r_bye:
      finished_ = finished_ || status >= 200;
      return;
    case nua_i_state:
      return on_state(tags);
    default:
      return;
  }
}

void Dialog::on_invite_answer(int status, const char* phrase, const sip_t* sip) {
  if (sip != nullptr && nta_sip_is_internal(sip)) sip = nullptr;  // nobody sent this
  if (sip != nullptr) trust_source(sip);
  if (status < 200) return on_provisional(status, sip);
  if (status < 300) return on_success(sip);
  if (sip != nullptr && retry_with_credentials(status, sip)) return;
  on_failure(status, phrase, sip);
}

void Dialog::on_provisional(int status, const sip_t* sip) {
  if (state_ != State::calling) return;
  const auto sdp = body_of(sip);
  if (!sdp.empty()) sdp_ = sdp;
  listener_.on_progress(id_, status, sdp, peer_ip_);
}

void Dialog::on_success(const sip_t* sip) {
  if (state_ == State::answered) return;
  if (state_ == State::ended) return hang_up_peer();  // it crossed our CANCEL, or came too late
  const auto sdp = body_of(sip);
  if (!sdp.empty()) sdp_ = sdp;
  state_ = State::answered;
  if (sdp_.empty()) {
    hang_up_peer();
    return end({EndReason::no_media, 200, "answered without SDP"});
  }
  su_timer_reset(timer_);
  listener_.on_answered(id_, sdp_, peer_ip_);
}

void Dialog::on_failure(int status, const char* phrase, const sip_t* sip) {
  finished_ = true;
  if (sip != nullptr) return end({EndReason::rejected, status, printable(phrase)});
  // Made up by sofia-sip: 408 when nobody answered, anything else when the request could not leave.
  end({status == 408 ? EndReason::silence : EndReason::transport, 0, printable(phrase)});
}

bool Dialog::retry_with_credentials(int status, const sip_t* sip) {
  if ((status != 401 && status != 407) || state_ == State::ended || state_ == State::answered) return false;
  if (credentials_sent_ == kMaxCredentialTries || (credentials_sent_ > 0 && !is_stale(*sip))) return false;
  su_home_t home[1] = {SU_HOME_INIT(home)};
  auto credentials = answer_challenge(home, *sip, invite_.call.trunk, invite_.uri.c_str());
  if (credentials) {
    ++credentials_sent_;
    send_invite(*credentials);
  }
  su_home_deinit(home);
  return credentials.ok();
}

void Dialog::on_reinvite(nua_handle_t* handle, const sip_t* sip) {
  nua_t* nua = agent_.nua();
  if (!from_peer()) {
    nua_respond(handle, SIP_403_FORBIDDEN, NUTAG_WITH_THIS(nua), TAG_END());
    return;
  }
  if (state_ != State::answered) {
    nua_respond(handle, SIP_491_REQUEST_PENDING, NUTAG_WITH_THIS(nua), TAG_END());
    return;
  }
  const auto offer = body_of(sip);
  const std::string answer = listener_.on_reoffer(id_, offer);
  if (answer.empty()) {
    nua_respond(handle, SIP_488_NOT_ACCEPTABLE, NUTAG_WITH_THIS(nua), TAG_END());
    return;
  }
  offered_again_ = offer.empty();
  nua_respond(handle, SIP_200_OK, NUTAG_WITH_THIS(nua), SIPTAG_CONTENT_TYPE_STR("application/sdp"),
              SIPTAG_PAYLOAD_STR(answer.c_str()), TAG_END());
}

void Dialog::on_bye(nua_handle_t* handle) {
  nua_t* nua = agent_.nua();
  // Sofia-sip ends the dialog with any answer to a BYE, so that a stranger's gets none. Its transaction goes
  // with the handle.
  if (!from_peer()) return;
  nua_respond(handle, SIP_200_OK, NUTAG_WITH_THIS(nua), TAG_END());
  end({EndReason::far_hangup, 0, {}});
}

void Dialog::on_state(tagi_t tags[]) {
  int state = nua_callstate_init;
  tl_gets(tags, NUTAG_CALLSTATE_REF(state), TAG_END());
  if (state != nua_callstate_terminated) return;
  finished_ = true;
  end({EndReason::far_hangup, 0, "session terminated"});
}

void Dialog::set_timer(uint32_t delay_ms) { su_timer_set_interval(timer_, on_timer_event, this, delay_ms); }

void Dialog::on_timer_event(Agent* agent, su_timer_t*, Dialog* self) {
  const DialogId id = self->id_;
  self->on_timer();
  agent->reap(id);
}

void Dialog::on_timer() {
  switch (state_) {
    case State::calling:
      hang_up_peer();
      return end({EndReason::no_answer, 0, "not answered in time"});
    case State::answered:
      return;
    case State::ended:
      finished_ = true;
      return;
  }
}

// Where the message that nua reports just now came from.
lib::SocketAddress Dialog::source() const {
  msg_t* message = nua_current_request(agent_.nua());
  const su_addrinfo_t* info = message != nullptr ? msg_addrinfo(message) : nullptr;
  if (info == nullptr || info->ai_addr == nullptr) return {};
  sockaddr_storage storage{};
  std::copy_n(reinterpret_cast<const char*>(info->ai_addr),
              std::min<size_t>(info->ai_addrlen, sizeof(storage)), reinterpret_cast<char*>(&storage));
  return lib::SocketAddress::from(storage);
}

// An answer tells where the peer is: where it came from, and the hosts it names for what follows in the
// dialog.
void Dialog::trust_source(const sip_t* sip) {
  const auto trust = [this](const lib::SocketAddress& address) {
    const bool known = std::any_of(trusted_.begin(), trusted_.end(),
                                   [&](const lib::SocketAddress& other) { return other.same_ip(address); });
    if (address.valid() && !known && trusted_.size() < kMaxTrusted) trusted_.push_back(address);
  };
  const auto trust_host = [&trust](const url_t* url) {
    if (url->url_host == nullptr) return;
    std::string host = url->url_host;
    if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
    if (auto address = lib::SocketAddress::parse(host, 0)) trust(*address);
  };
  const auto from = source();
  if (from.valid()) peer_ip_ = from.ip_text();
  trust(from);
  for (const sip_record_route_t* route = sip->sip_record_route; route != nullptr; route = route->r_next)
    trust_host(route->r_url);
  if (sip->sip_contact != nullptr) trust_host(sip->sip_contact->m_url);
}

bool Dialog::from_peer() const {
  const auto from = source();
  return std::any_of(trusted_.begin(), trusted_.end(),
                     [&](const lib::SocketAddress& address) { return address.same_ip(from); });
}

}  // namespace patchbay::sip_trunk

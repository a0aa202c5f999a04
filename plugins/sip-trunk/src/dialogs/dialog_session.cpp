// The part of Dialog that sends re-INVITE and UPDATE, and keeps the session timer (RFC 4028).
#include <algorithm>
#include <utility>

#include "dialogs/dialog.h"
#include "now_ms.h"
#include "random64.h"
#include "stack/request_screen.h"
#include "stack/sip_limits.h"
#include "stack/user_agent.h"

namespace patchbay::sip_trunk {

void Dialog::send_reinvite() {
  const std::string session = session_.interval_sec == 0
                                  ? std::string()
                                  : std::to_string(session_.interval_sec) +
                                        (session_.we_refresh ? ";refresher=uac" : ";refresher=uas");
  const std::string& authorization = credentials_.authorization();
  const std::string& proxy_authorization = credentials_.proxy_authorization();
  nua_invite(
      handle_.get(), TAG_IF(!session.empty(), SIPTAG_SESSION_EXPIRES_STR(session.c_str())),
      TAG_IF(!authorization.empty(), SIPTAG_AUTHORIZATION_STR(authorization.c_str())),
      TAG_IF(!proxy_authorization.empty(), SIPTAG_PROXY_AUTHORIZATION_STR(proxy_authorization.c_str())),
      SIPTAG_CONTENT_TYPE_STR("application/sdp"), SIPTAG_PAYLOAD_STR(reoffer_sdp_.c_str()), TAG_END());
}

// RFC 3261 section 14.1: the side that made the Call-ID waits longer, so that one of both comes through.
bool Dialog::resend_reinvite(int status, const sip_t* sip) {
  if (state_ != State::answered) return false;
  const bool is_internal = sip == nullptr || nta_sip_is_internal(sip);
  if (status == 491 && conflicts_ < kMaxConflicts) {
    ++conflicts_;
    const bool is_ours = inbound() == nullptr;
    const auto step = static_cast<int64_t>(random64() % (is_ours ? 191 : 201)) * 10;
    if (conflict_timer_ == nullptr) conflict_timer_ = su_timer_create(su_root_task(agent_.root()), 0);
    if (conflict_timer_ == nullptr) return false;
    su_timer_set_interval(conflict_timer_, on_conflict_timer, this,
                          static_cast<su_duration_t>(is_ours ? 2100 + step : std::max<int64_t>(step, 1)));
    return true;
  }
  if (is_internal) return false;
  if (status == 422 && session_.interval_sec > 0) {
    const int64_t least = read_session(nua_current_request(agent_.nua())).min_sec;
    if (least <= session_.interval_sec) return false;
    session_.interval_sec = least;
    send_reinvite();
    return true;
  }
  if (!credentials_.answer(status, sip, trunk(), "INVITE", stored().target, reoffer_sdp_)) return false;
  send_reinvite();
  return true;
}

void Dialog::on_conflict_over() {
  if (state_ == State::answered && is_reoffering_) send_reinvite();
}

void Dialog::on_conflict_timer(UserAgent* agent, su_timer_t*, HandleOwner* self) {
  const DialogId id = self->id();
  static_cast<Dialog*>(self)->on_conflict_over();
  agent->reap(id);
}

void Dialog::on_reoffer_answer(int status, const sip_t* sip) {
  if (status < 200 || resend_reinvite(status, sip)) return;
  is_reoffering_ = false;
  const bool is_internal = sip == nullptr || nta_sip_is_internal(sip);
  if (status < 300) {
    nua_ack(handle_.get(), TAG_END());
    take_session(
        terms_as_asker(read_session(nua_current_request(agent_.nua())), agent_.options().min_session_sec));
  }
  if (status == 408 || status == 481) lost_why_ = "the far end no longer answers";
  if (std::exchange(is_refresh_, false)) {
    if (status < 300 && listener_ != nullptr) listener_->on_reanswer(id_, sdp_of(sip));
    return on_refreshed(status);
  }
  if (listener_ != nullptr)
    listener_->on_reoffer_answered(id_, is_internal ? 0 : status, status < 300 ? sdp_of(sip) : "");
}

void Dialog::take_session(const SessionTerms& terms) {
  session_ = terms;
  if (terms.interval_sec == 0) {
    if (session_timer_ != nullptr) su_timer_reset(session_timer_);
    return;
  }
  session_gives_up_ms_ = now_ms() + SessionTerms{terms.interval_sec, false}.act_after_ms();
  set_session_timer(terms.act_after_ms());
}

void Dialog::set_session_timer(int64_t delay_ms) {
  if (session_timer_ == nullptr) session_timer_ = su_timer_create(su_root_task(agent_.root()), 0);
  if (session_timer_ != nullptr)
    su_timer_set_interval(session_timer_, on_session_event, this,
                          static_cast<su_duration_t>(std::max<int64_t>(delay_ms, 1)));
}

void Dialog::on_session_event(UserAgent* agent, su_timer_t*, HandleOwner* self) {
  const DialogId id = self->id();
  static_cast<Dialog*>(self)->on_session_timer();
  agent->reap(id);
}

void Dialog::on_session_timer() {
  if (state_ != State::answered) return;
  const int64_t left_ms = session_gives_up_ms_ - now_ms();
  if (left_ms > 0 && session_.we_refresh) return refresh();
  hang_up_peer();
  report_end({EndReason::lost, 0, "the far end did not refresh the session in time", ""});
}

// By UPDATE, which changes no media, if the peer has it; else by a re-INVITE with our media as they are.
void Dialog::refresh() {
  if (is_reoffering_ || is_updating_ || must_await_ack() || listener_ == nullptr)
    return set_session_timer(kMinRefreshPauseMs);
  set_session_timer(session_gives_up_ms_ - now_ms());
  credentials_.clear();
  conflicts_ = 0;
  if (!allows_update_) {
    reoffer_sdp_ = listener_->on_reoffer(id_, {});
    is_reoffering_ = is_refresh_ = true;
    return send_reinvite();
  }
  is_updating_ = true;
  send_update();
}

void Dialog::send_update() {
  const std::string session = std::to_string(session_.interval_sec) + ";refresher=uac";
  const std::string& authorization = credentials_.authorization();
  const std::string& proxy_authorization = credentials_.proxy_authorization();
  nua_update(
      handle_.get(), SIPTAG_SESSION_EXPIRES_STR(session.c_str()),
      TAG_IF(!authorization.empty(), SIPTAG_AUTHORIZATION_STR(authorization.c_str())),
      TAG_IF(!proxy_authorization.empty(), SIPTAG_PROXY_AUTHORIZATION_STR(proxy_authorization.c_str())),
      TAG_END());
}

void Dialog::on_update_answer(int status, const sip_t* sip) {
  if (status < 200 || !is_updating_) return;
  const bool is_internal = sip == nullptr || nta_sip_is_internal(sip);
  if (!is_internal && credentials_.answer(status, sip, trunk(), "UPDATE", stored().target, ""))
    return send_update();
  is_updating_ = false;
  const SessionHeaders said =
      is_internal ? SessionHeaders() : read_session(nua_current_request(agent_.nua()));
  if (status < 300) take_session(terms_as_asker(said, agent_.options().min_session_sec));
  if (status == 408 || status == 481) lost_why_ = "the far end no longer answers";
  if (status == 422) session_.interval_sec = std::max(session_.interval_sec, said.min_sec);
  if (status == 405 || status == 501) allows_update_ = false;
  on_refreshed(status);
}

// A refresh that failed is tried again until the session has expired.
void Dialog::on_refreshed(int status) {
  if (status < 300 || state_ != State::answered) return;
  if (status == 405 || status == 501) return refresh();  // by re-INVITE
  const int64_t left_ms = session_gives_up_ms_ - now_ms();
  set_session_timer(std::min(left_ms, std::max<int64_t>(kMinRefreshPauseMs, left_ms / 4)));
}

bool Dialog::refuse_session(nua_handle_t* handle) {
  const int64_t min_sec = agent_.options().min_session_sec;
  if (!is_too_short(read_session(nua_current_request(agent_.nua())), min_sec)) return false;
  const std::string least = std::to_string(min_sec);
  nua_respond(handle, SIP_422_SESSION_TIMER_TOO_SMALL, NUTAG_WITH_THIS(agent_.nua()),
              SIPTAG_MIN_SE_STR(least.c_str()), TAG_END());
  return true;
}

// 200 to a re-INVITE or UPDATE, with the session timer that it asks for.
void Dialog::accept(nua_handle_t* handle, const std::string& sdp) {
  const SessionHeaders asked = read_session(nua_current_request(agent_.nua()));
  const SessionTerms terms = terms_as_answerer(asked, agent_.options().min_session_sec);
  const SessionAnswer session = session_answer(asked, terms);
  nua_respond(
      handle, SIP_200_OK, NUTAG_WITH_THIS(agent_.nua()),
      TAG_IF(!session.session_expires.empty(), SIPTAG_SESSION_EXPIRES_STR(session.session_expires.c_str())),
      TAG_IF(!session.require.empty(), SIPTAG_REQUIRE_STR(session.require.c_str())),
      TAG_IF(!sdp.empty(), SIPTAG_CONTENT_TYPE_STR("application/sdp")),
      TAG_IF(!sdp.empty(), SIPTAG_PAYLOAD_STR(sdp.c_str())), TAG_END());
  if (state_ == State::answered) take_session(terms);
}

}  // namespace patchbay::sip_trunk

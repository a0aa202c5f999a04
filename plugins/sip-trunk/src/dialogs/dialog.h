// Dialog: one call at one peer (RFC 3261 section 12): the requests inside the dialog, BYE, and the addresses
// that may send. OutboundDialog and InboundDialog add the INVITE that begins it. Owns its sofia-sip handle.
// sip thread only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialogs/far_referral.h"
#include "dialogs/referral.h"
#include "dialogs/replaces.h"
#include "dialogs/session_timer.h"
#include "rtp/address.h"
#include "stack/nua_handle.h"
#include "stack/request_screen.h"
#include "stack/sip_limits.h"
#include "stack/sofia.h"

namespace patchbay::sip_trunk {

class InboundDialog;
class UserAgent;

class Dialog : public HandleOwner {
 public:
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;
  ~Dialog() override;

  DialogId id() const noexcept override { return id_; }
  bool is_closed() const noexcept override { return closed_; }
  bool has_ended() const noexcept { return state_ == State::ended; }
  bool is_answered() const noexcept { return state_ == State::answered; }
  const std::string& call_id() const noexcept { return call_id_; }
  // Returns whether a 2xx answers the latest INVITE, so that sofia-sip passes it (the first one) to
  // on_event().
  virtual bool awaits(const sip_t&) const { return false; }
  // Returns whether an answer is to a request inside this dialog.
  bool is_inside(const sip_t& answer) const;
  // Returns whether a request with this dialog's Call-ID has one of its tags, as far as they are known.
  bool is_named_in(const sip_t& request) const;
  // Returns whether requests inside this dialog may come from the address.
  bool trusts(const lib::SocketAddress& address) const;
  // Counts a request of the peer. Returns false beyond the limit of this second.
  bool takes(const sip_t& request, int64_t now_ms);
  // No connection to the address is made.
  virtual void on_unreachable(const lib::SocketAddress&, const std::string& /*why*/) {}
  // null: an outbound one.
  virtual InboundDialog* inbound() noexcept { return nullptr; }

  // Ends the dialog: before the answer as its direction does, after it with BYE; on_ended() follows.
  void hangup();
  // The Reason header (RFC 3326) of a CANCEL; "": none.
  void set_cancel_reason(std::string reason) { cancel_reason_ = std::move(reason); }
  // Sends a re-INVITE with our offer; the listener gets its answer.
  void reoffer(const std::string& sdp);
  // Sends REFER with this Refer-To; the listener learns how it goes.
  void refer(const std::string& refer_to);
  // Tells the far end how the transfer goes that it has asked for.
  void report_refer(int status);
  // Reports that the call which the REFER was to replace is over.
  void fail_refer();
  // The value of Replaces (RFC 3891) with which the far end's other calls may replace this dialog; "": it is
  // not answered.
  std::string replaces() const;
  // Whether the far end names this dialog, which is or was answered, in a Replaces to us.
  bool is_named_by(const Replaces& replaces) const;
  // Gives up the listener, whose on_ended() comes now; BYE follows after so long, unless the peer sends it.
  void leave(int64_t bye_after_ms);
  void on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle, const sip_t* sip,
                tagi_t tags[]) override;

 protected:
  enum class State { calling, answered, ended };

  // `listener` may be null, and set later.
  Dialog(UserAgent& agent, DialogId id, std::string call_id, DialogListener* listener);

  // An event that only one direction has.
  virtual void on_invite_event(nua_event_t event, int status, const char* phrase, const sip_t* sip) = 0;
  // Ends the dialog at the peer before it is answered.
  virtual void cancel() = 0;
  // What another process needs to end the dialog; `from` is empty until that is known.
  virtual StoredDialog stored() const = 0;
  virtual const TrunkAccess& trunk() const = 0;
  // Whether BYE must wait, because the peer has not acknowledged our answer (RFC 3261 section 15).
  virtual bool must_await_ack() const { return false; }
  virtual void on_ack(const sip_t*) {}

  void hang_up_peer();
  void report_end(const DialogEnd& ended);
  void close(const DialogEnd& ended);
  void log_up();
  void log_down(bool confirmed);
  void set_timer(int64_t delay_ms);
  void trust(const lib::SocketAddress& address);
  void trust_source(const sip_t* sip);
  // What the answer to our INVITE or refresh says of the session timer.
  void take_session(const SessionTerms& terms);
  // Tells sofia-sip, and the peer by Allow, which methods we take.
  void allow_methods();
  // Notes which methods the peer allows.
  void note_methods(const sip_t* sip);

  // borrowed
  UserAgent& agent_;
  DialogListener* listener_;  // null after on_ended, because its owner may be destroyed then
  // owned
  NuaHandle handle_;
  su_timer_t* timer_ = nullptr;
  su_timer_t* session_timer_ = nullptr;      // null: never needed
  su_timer_t* conflict_timer_ = nullptr;     // likewise
  std::optional<Referral> referral_;         // the latest one
  std::optional<FarReferral> far_referral_;  // likewise
  // state
  State state_ = State::calling;
  bool closed_ = false;
  bool reoffer_pending_ = false;  // a 2xx has our offer; the ACK brings the answer
  std::string peer_ip_;           // the source of the latest message
  std::string cancel_reason_;

 private:
  void send_reinvite();
  bool resend_reinvite(int status, const sip_t* sip);
  void on_conflict_over();
  void refresh();
  void send_update();
  void on_update_answer(int status, const sip_t* sip);
  void on_refreshed(int status);
  void on_session_timer();
  void set_session_timer(int64_t delay_ms);
  // Refuses a request whose session interval is too short.
  bool refuse_session(nua_handle_t* handle);
  void accept(nua_handle_t* handle, const std::string& sdp);
  void on_reinvite(nua_handle_t* handle, const sip_t* sip);
  void on_update(nua_handle_t* handle, const sip_t* sip);
  void on_info(nua_handle_t* handle, const sip_t* sip);
  void on_reoffer_answer(int status, const sip_t* sip);
  void on_far_refer(nua_handle_t* handle, const sip_t* sip, tagi_t tags[]);
  void on_refer_step(const std::optional<ReferStep>& step);
  void on_acknowledged(const sip_t* sip);
  void on_bye(nua_handle_t* handle);
  void on_bye_answer(int status, const sip_t* sip);
  void on_state(tagi_t tags[]);
  void start_bye(const sip_t* challenge);
  static void on_timer_event(UserAgent* agent, su_timer_t* timer, HandleOwner* self);
  static void on_conflict_timer(UserAgent* agent, su_timer_t* timer, HandleOwner* self);
  static void on_session_event(UserAgent* agent, su_timer_t* timer, HandleOwner* self);

  const DialogId id_;
  const std::string call_id_;
  bool bye_sent_ = false;
  bool bye_after_ack_ = false;
  bool is_reoffering_ = false;     // our re-INVITE has no final answer yet
  bool is_refresh_ = false;        // that re-INVITE refreshes the session
  bool is_updating_ = false;       // our UPDATE has no final answer yet
  unsigned conflicts_ = 0;         // 491 to that re-INVITE
  std::string reoffer_sdp_;        // of that re-INVITE
  DialogCredentials credentials_;  // of the re-INVITE or UPDATE
  SessionTerms session_;
  int64_t session_gives_up_ms_ = 0;          // unless it is refreshed before
  std::string lost_why_;                     // why sofia-sip drops the dialog
  std::string reoffer_after_ack_;            // our SDP; "": none waits for the ACK of our answer
  std::string refer_after_ack_;              // Refer-To; likewise
  bool allows_refer_ = true;                 // the peer's Allow does not leave REFER out
  bool allows_update_ = false;               // the peer's Allow has UPDATE
  bool is_logged_ = false;                   // DialogLog has this dialog
  bool is_left_ = false;                     // BYE follows
  std::vector<lib::SocketAddress> trusted_;  // addresses that requests inside this dialog may come from
  PerSecondLimit requests_{kMaxInDialogPerSecond}, ends_{kMaxInDialogPerSecond};
};

// Returns the SDP in the body of a message; "": none.
std::string_view sdp_of(const sip_t* sip);

}  // namespace patchbay::sip_trunk

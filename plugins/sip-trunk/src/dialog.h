// Dialog: one outbound call at one trunk (RFC 3261 section 12), from INVITE through authentication to CANCEL
// or BYE. Owns its sofia-sip handle. sip thread only.
#pragma once

#include <string>
#include <vector>

#include "dialog_route.h"
#include "invite.h"
#include "nua_handle.h"
#include "rtp/address.h"
#include "sofia.h"

namespace patchbay::sip_trunk {

class UserAgent;

class Dialog final : public HandleOwner {
 public:
  Dialog(UserAgent& agent, DialogId id, Invite invite, DialogListener& listener);
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;
  ~Dialog() override;

  DialogId id() const noexcept override { return id_; }

  void start();
  void hangup();
  void on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle, const sip_t* sip,
                tagi_t tags[]) override;
  void on_timer() override;
  bool is_closed() const noexcept override { return closed_; }
  const std::string& call_id() const noexcept { return invite_.call_id; }
  // Returns whether a 2xx answers the latest INVITE, so that sofia-sip passes it (the first one) to
  // on_event().
  bool awaits(const sip_t& answer) const;
  // Returns whether requests inside this dialog may come from the address.
  bool trusts(const lib::SocketAddress& address) const;

 private:
  enum class State { calling, answered, ended };

  void send_invite();
  void on_invite_answer(int status, const char* phrase, const sip_t* sip);
  void on_provisional(int status, const sip_t* sip);
  void on_success(const sip_t* sip);
  void acknowledge(const sip_t* sip);
  void on_failure(int status, const char* phrase, const sip_t* sip);
  bool retry_with_credentials(int status, const sip_t* sip);
  bool try_next_target(EndReason reason);
  void on_reinvite(nua_handle_t* handle, const sip_t* sip);
  void on_bye(nua_handle_t* handle);
  void on_bye_answer(int status, const sip_t* sip);
  void on_silence();
  void on_state(tagi_t tags[]);
  void report_end(const DialogEnd& ended);
  void close(const DialogEnd& ended);
  void hang_up_peer();
  void start_bye(const sip_t* challenge);
  void log_down(bool confirmed);
  void set_timer(int64_t delay_ms);
  static void on_timer_event(UserAgent* agent, su_timer_t* timer, HandleOwner* self);

  const lib::SocketAddress& target() const { return invite_.call.targets[target_]; }
  bool is_tcp() const noexcept { return invite_.call.trunk.transport == Transport::tcp; }
  StoredDialog stored() const;
  void trust(const lib::SocketAddress& address);
  void trust_source(const sip_t* sip);

  UserAgent& agent_;
  DialogListener* listener_;  // null after on_ended, because its owner may be destroyed then
  const DialogId id_;
  const Invite invite_;
  NuaHandle handle_;
  su_timer_t* timer_ = nullptr;

  State state_ = State::calling;
  bool closed_ = false;
  bool bye_sent_ = false;
  bool is_logged_ = false;        // DialogLog has this dialog
  bool got_answer_ = false;       // to the latest INVITE, 100 included
  bool rang_ = false;             // got an answer from 101 to 199
  bool reoffer_pending_ = false;  // a re-INVITE without SDP asked for our offer; the ACK brings the answer
  size_t target_ = 0;             // index of the target being tried
  bool tcp_retried_ = false;
  int64_t started_ms_ = 0;
  int64_t invite_sent_ms_ = 0;  // when the latest INVITE was sent
  uint32_t sequence_ = 0;       // CSeq of the INVITE
  uint32_t credentials_sent_ = 0;
  std::string authorization_;  // header values that answer the latest challenges
  std::string proxy_authorization_;
  std::string refusal_;  // why a challenge was not answered
  DialogRoute route_;    // from the 2xx answer
  std::string sdp_;      // from the latest answer
  std::string peer_ip_;
  std::vector<lib::SocketAddress> trusted_;  // addresses that requests inside this dialog may come from
};

}  // namespace patchbay::sip_trunk

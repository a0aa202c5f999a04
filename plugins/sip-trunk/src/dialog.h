// One outbound dialog: the owner of its handle at sofia-sip, through authentication, CANCEL and BYE. sip
// thread only.
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
  // The stack stops: on_ended now, and what the peer still has to be told is sent.
  void abandon();
  void on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle, const sip_t* sip,
                tagi_t tags[]) override;
  void on_timer() override;
  bool finished() const noexcept override { return finished_; }
  const std::string& call_id() const noexcept { return invite_.call_id; }
  // Whether a 2xx belongs to the latest INVITE: it will come to on_event, the first one at least.
  bool awaits(const sip_t& answer) const;
  // Whether requests of this dialog may come from there.
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
  void end(const DialogEnd& ended);
  void finish(const DialogEnd& ended);
  void hang_up_peer();
  void start_farewell(const sip_t* challenge);
  void set_down(bool confirmed);
  void set_timer(int64_t delay_ms);
  static void on_timer_event(UserAgent* agent, su_timer_t* timer, HandleOwner* self);

  const lib::SocketAddress& target() const { return invite_.call.targets[target_]; }
  bool is_tcp() const noexcept { return invite_.call.trunk.transport == Transport::tcp; }
  StoredDialog stored() const;
  void trust(const lib::SocketAddress& address);
  void trust_source(const sip_t* sip);

  UserAgent& agent_;
  DialogListener* listener_;  // null from its on_ended on: its owner may be gone
  const DialogId id_;
  const Invite invite_;
  NuaHandle handle_;
  su_timer_t* timer_ = nullptr;

  State state_ = State::calling;
  bool finished_ = false;
  bool said_bye_ = false;
  bool is_up_ = false;          // the log was told that the peer may be in the call
  bool heard_ = false;          // any answer to the latest INVITE, 100 included
  bool rang_ = false;           // an answer from 101 to 199
  bool offered_again_ = false;  // a re-INVITE asked for our offer; its answer comes with the ACK
  size_t target_ = 0;           // the one of the call's targets that is tried
  bool tcp_tried_again_ = false;
  int64_t begun_ms_ = 0;
  int64_t tried_ms_ = 0;   // when the latest INVITE left
  uint32_t sequence_ = 0;  // CSeq of the INVITE
  uint32_t credentials_sent_ = 0;
  std::string authorization_;  // header values that answer the challenges so far
  std::string proxy_authorization_;
  std::string refusal_;  // why a challenge was not answered
  DialogRoute route_;    // of the answer
  std::string sdp_;      // the latest answer
  std::string peer_ip_;
  std::vector<lib::SocketAddress> trusted_;  // where requests of this dialog may come from
};

}  // namespace patchbay::sip_trunk

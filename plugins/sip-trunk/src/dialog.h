// One outbound dialog: the owner of its handle at sofia-sip, through authentication, CANCEL and BYE. sip
// thread only.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "invite.h"
#include "rtp/address.h"
#include "sofia.h"

namespace patchbay::sip_trunk {

class Agent;

// A nua handle with its one owner. Destroying it ends what is still going on there.
class Handle {
 public:
  Handle() noexcept = default;
  Handle(nua_t* nua, Dialog* dialog, std::atomic<size_t>& count);
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();

  nua_handle_t* get() const noexcept { return handle_; }

 private:
  nua_handle_t* handle_ = nullptr;
  std::atomic<size_t>* count_ = nullptr;
};

class Dialog {
 public:
  Dialog(Agent& agent, DialogId id, Invite invite, DialogListener& listener);
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;
  ~Dialog();

  DialogId id() const noexcept { return id_; }

  void start();
  void hangup();
  // The stack stops: on_ended now, and what the peer still has to be told is sent.
  void abandon();
  void on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle, const sip_t* sip,
                tagi_t tags[]);

  // Nothing will happen any more; the agent deletes it.
  bool finished() const noexcept { return finished_; }

 private:
  enum class State { calling, answered, ended };

  void send_invite(msg_header_t* credentials);
  void on_invite_answer(int status, const char* phrase, const sip_t* sip);
  void on_provisional(int status, const sip_t* sip);
  void on_success(const sip_t* sip);
  void on_failure(int status, const char* phrase, const sip_t* sip);
  bool retry_with_credentials(int status, const sip_t* sip);
  void on_reinvite(nua_handle_t* handle, const sip_t* sip);
  void on_bye(nua_handle_t* handle);
  void on_state(tagi_t tags[]);
  void end(const Ended& ended);
  void hang_up_peer();
  void set_timer(uint32_t delay_ms);
  void on_timer();
  static void on_timer_event(Agent* agent, su_timer_t* timer, Dialog* self);

  lib::SocketAddress source() const;
  void trust_source(const sip_t* sip);
  bool from_peer() const;

  Agent& agent_;
  DialogListener& listener_;
  const DialogId id_;
  const Invite invite_;
  Handle handle_;
  su_timer_t* timer_ = nullptr;

  State state_ = State::calling;
  bool finished_ = false;
  bool said_bye_ = false;
  bool offered_again_ = false;  // a re-INVITE asked for our offer; its answer comes with the ACK
  uint32_t sequence_ = 0;       // CSeq of the INVITE
  uint32_t credentials_sent_ = 0;
  std::string sdp_;  // the latest answer
  std::string peer_ip_;
  std::vector<lib::SocketAddress> trusted_;  // where requests of this dialog may come from
};

}  // namespace patchbay::sip_trunk

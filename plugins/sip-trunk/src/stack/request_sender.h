// RequestSender: sends a TrunkRequest, answers challenges, and reports the final answer once. sip thread
// only.
#pragma once

#include <string>

#include "stack/nua_handle.h"
#include "trunks/trunk_request.h"

namespace patchbay::sip_trunk {

class UserAgent;

class RequestSender final : public HandleOwner {
 public:
  RequestSender(UserAgent& agent, DialogId id, TrunkRequest request, OnTrunkAnswer done);
  ~RequestSender() override;

  void start();

  DialogId id() const noexcept override { return id_; }
  void on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle, const sip_t* sip,
                tagi_t tags[]) override;
  void on_timer() override;
  bool is_closed() const noexcept override { return closed_; }
  // No connection to the address is made.
  void on_unreachable(const lib::SocketAddress& peer, const std::string& why);

 private:
  void send();
  bool answer_challenge(const sip_t& response);
  void finish(int status, std::string text, const sip_t* answer = nullptr);
  static void on_timer_event(UserAgent* agent, su_timer_t* timer, HandleOwner* self);

  UserAgent& agent_;
  const DialogId id_;
  const TrunkRequest request_;
  OnTrunkAnswer done_;
  NuaHandle handle_;
  su_timer_t* timer_ = nullptr;
  uint32_t sequence_;
  uint32_t credentials_sent_ = 0;
  std::string contact_;  // header value; empty: none
  std::string authorization_, proxy_authorization_;
  std::string refusal_;  // why a challenge was not answered
  bool closed_ = false;
};

}  // namespace patchbay::sip_trunk

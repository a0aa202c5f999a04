// OutboundDialog: a call that we make at one trunk: from INVITE through authentication to the answer or
// CANCEL. sip thread only.
#pragma once

#include <string>

#include "dialogs/dialog.h"
#include "dialogs/dialog_route.h"
#include "dialogs/invite.h"

namespace patchbay::sip_trunk {

class OutboundDialog final : public Dialog {
 public:
  OutboundDialog(UserAgent& agent, DialogId id, Invite invite, DialogListener& listener);

  void start();
  bool awaits(const sip_t& answer) const override;
  void on_timer() override;
  void on_unreachable(const lib::SocketAddress& peer, const std::string& why) override;

 private:
  void on_invite_event(nua_event_t event, int status, const char* phrase, const sip_t* sip) override;
  void cancel() override;
  StoredDialog stored() const override;
  const TrunkAccess& trunk() const override { return invite_.call.trunk; }

  void send_invite();
  void on_provisional(int status, const sip_t* sip);
  void on_success(const sip_t* sip);
  void acknowledge(const sip_t* sip);
  void on_failure(int status, const char* phrase, const sip_t* sip);
  bool retry_with_credentials(int status, const sip_t* sip);
  bool retry_as_asked(int status, const sip_t& sip);
  bool try_next_target(EndReason reason);
  void on_silence();
  void on_unusable(const std::string& why);

  const lib::SocketAddress& target() const { return invite_.call.targets[target_].address; }
  // The configured host of the target.
  const std::string& target_host() const {
    const std::string& host = invite_.call.targets[target_].host;
    return host.empty() ? invite_.call.trunk.host : host;
  }
  Transport transport() const noexcept { return invite_.call.trunk.transport; }

  const Invite invite_;
  bool got_answer_ = false;  // to the latest INVITE, 100 included
  bool rang_ = false;        // got an answer from 101 to 199
  size_t target_ = 0;        // index of the target being tried
  bool tcp_retried_ = false;
  int64_t started_ms_ = 0;
  int64_t invite_sent_ms_ = 0;  // when the latest INVITE was sent
  uint32_t sequence_ = 0;       // CSeq of the INVITE
  uint32_t credentials_sent_ = 0;
  std::string authorization_;  // header values that answer the latest challenges
  std::string proxy_authorization_;
  std::string refusal_;  // why a challenge was not answered
  int64_t session_sec_;  // of the offered session timer; 0: none
  bool uses_100rel_;     // the trunk is configured so, or insists on it
  DialogRoute route_;    // from the 2xx answer
  std::string sdp_;      // from the latest answer
};

}  // namespace patchbay::sip_trunk

// Says BYE for a dialog that sofia-sip no longer knows: after a challenge, after the network failed, and for
// calls of a run of the program that was killed. sip thread only.
#pragma once

#include <cstdint>
#include <string>

#include "nua_handle.h"
#include "rtp/address.h"

namespace patchbay::sip_trunk {

class UserAgent;

// Whether this final answer to a BYE means that the peer has ended the dialog, or does not know it.
constexpr bool confirms_end(int status) { return status / 100 == 2 || status == 481; }

class ByeSender final : public HandleOwner {
 public:
  ByeSender(UserAgent& agent, DialogId id, StoredDialog dialog, TrunkAccess trunk);
  ~ByeSender() override;

  // `challenge`: the 401 or 407 that the first BYE got, or null. Sends until a final answer comes, at most
  // one answer to a challenge, for 32 s.
  void start(const sip_t* challenge);

  DialogId id() const noexcept override { return id_; }
  const StoredDialog& dialog() const noexcept { return dialog_; }
  void on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle, const sip_t* sip,
                tagi_t tags[]) override;
  void on_timer() override;
  bool finished() const noexcept override { return finished_; }
  // Once finished: whether the peer has ended the dialog, or does not know it.
  bool confirmed() const noexcept { return confirmed_; }

 private:
  void send();
  bool answer_challenge(const sip_t& response);
  static void on_timer_event(UserAgent* agent, su_timer_t* timer, HandleOwner* self);

  UserAgent& agent_;
  const DialogId id_;
  StoredDialog dialog_;
  const TrunkAccess trunk_;
  NuaHandle handle_;
  su_timer_t* timer_ = nullptr;
  lib::SocketAddress hop_;
  std::string credentials_;
  bool by_proxy_ = false;
  bool challenged_ = false;
  bool finished_ = false;
  bool confirmed_ = false;
  int64_t give_up_ms_ = 0;
};

}  // namespace patchbay::sip_trunk

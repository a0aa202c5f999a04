// ByeSender: sends BYE for a dialog that sofia-sip does not know: after a challenge, after a network failure,
// and for calls that a killed process left up. sip thread only.
#pragma once

#include <cstdint>
#include <string>

#include "rtp/address.h"
#include "stack/nua_handle.h"

namespace patchbay::sip_trunk {

class UserAgent;

// Returns whether this final answer to a BYE means that the peer has ended the dialog, or does not know it.
constexpr bool confirms_end(int status) { return status / 100 == 2 || status == 481; }

class ByeSender final : public HandleOwner {
 public:
  ByeSender(UserAgent& agent, DialogId id, StoredDialog dialog, TrunkAccess trunk);
  ~ByeSender() override;

  // Sends BYE until a final answer comes, for kTransactionTimeoutMs at most. `challenge`: the 401 or 407 to
  // an earlier BYE, or null. Answers at most one challenge.
  void start(const sip_t* challenge);

  DialogId id() const noexcept override { return id_; }
  const StoredDialog& dialog() const noexcept { return dialog_; }
  void on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle, const sip_t* sip,
                tagi_t tags[]) override;
  void on_timer() override;
  bool is_closed() const noexcept override { return closed_; }
  // Once closed: whether the peer has ended the dialog, or does not know it.
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
  lib::SocketAddress next_hop_;
  std::string credentials_;
  bool by_proxy_ = false;
  bool challenged_ = false;
  bool closed_ = false;
  bool confirmed_ = false;
  int64_t give_up_ms_ = 0;
};

}  // namespace patchbay::sip_trunk

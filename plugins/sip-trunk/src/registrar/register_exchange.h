// RegisterExchange: a REGISTER that waits for our answer. Owns its sofia-sip handle. sip thread.
#pragma once

#include "registrar/register_types.h"
#include "stack/nua_handle.h"
#include "stack/sofia.h"

namespace patchbay::sip_trunk {

class RegisterExchange final : public HandleOwner {
 public:
  RegisterExchange(DialogId id, nua_t* nua, nua_handle_t* handle, std::atomic<size_t>& count);
  ~RegisterExchange() override;
  RegisterExchange(const RegisterExchange&) = delete;
  RegisterExchange& operator=(const RegisterExchange&) = delete;

  void answer(const RegisterReply& reply);

  DialogId id() const noexcept override { return id_; }
  void on_event(nua_event_t, int, const char*, nua_handle_t*, const sip_t*, tagi_t[]) override {}
  void on_timer() override {}
  bool is_closed() const noexcept override { return closed_; }

 private:
  const DialogId id_;
  NuaHandle handle_;
  msg_t* request_;  // names the transaction to sofia-sip
  bool closed_ = false;
};

}  // namespace patchbay::sip_trunk

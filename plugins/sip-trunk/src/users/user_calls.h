// UserCalls: the calls to users: those of Telephony::dial_user, and those that come in for a user, which it
// takes as an answerer, after all others. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/services/telephony.h>

#include <map>
#include <memory>

#include "legs/answerer_search.h"
#include "read_settings.h"
#include "users/contact_directory.h"
#include "users/inbound_user_call.h"
#include "users/user_call.h"

namespace patchbay::sip_trunk {

class UserCalls {
 public:
  // All outlive this.
  UserCalls(const Host& host, const Settings& settings, ContactDirectory& directory);

  // Implements Telephony::dial_user, but for the server that stops.
  Result<telephony::Dialled> dial(const telephony::DialUser& request);
  RegisteredAnswerer answerer();

  size_t count() const noexcept { return calls_.size() + inbound_.size(); }
  // Calls f() each time count() has changed.
  void on_count(Function<void()> f) { on_count_ = std::move(f); }

 private:
  void offer(const telephony::Offer& call, Reply<telephony::Taken> reply);
  void changed();

  // borrowed
  const Host& host_;
  const Settings& settings_;
  ContactDirectory& directory_;
  // owned
  Provision<telephony::Answerer> answerer_;
  std::map<int64_t, std::unique_ptr<UserCall>> calls_;
  std::map<int64_t, std::unique_ptr<InboundUserCall>> inbound_;
  Function<void()> on_count_;
  // state
  int64_t last_id_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk

// AnswererOffers: inbound calls that were offered to answerers, until each has replied. An answerer that
// takes a call when it is not offered any more does not own it: its listener gets ended() at once.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <cstdint>
#include <map>
#include <string>

namespace patchbay::sip_trunk {

struct RegisteredAnswerer {
  std::string name;
  Handle instance;
  int64_t priority = 0;
};

// Main strand.
class AnswererOffers {
 public:
  using OnReply = Function<void(const Result<telephony::Taken>&)>;

  explicit AnswererOffers(const Host& host) : host_(host) {}

  // Offers the call. Calls on_reply() once, unless the offer is withdrawn.
  int64_t offer(const RegisteredAnswerer& answerer, const telephony::Offer& call, OnReply on_reply);
  // The call is not the answerer's any more; `how`: what its listener gets if it takes it nevertheless.
  // Without effect after its reply.
  void withdraw(int64_t id, telephony::Ended how);

 private:
  struct Pending {
    Lease<telephony::Answerer> answerer;
    OnReply on_reply;  // empty: withdrawn
    telephony::Ended how;
  };
  void on_reply(int64_t id, const Log& log, const Result<telephony::Taken>& reply);

  const Host& host_;
  std::map<int64_t, Pending> pending_;
  int64_t last_id_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk

// TrunkAttempts: dials a number at the trunks of its route, one after another, until one of them reaches the
// callee: passes over trunks that are down or full, and goes on when one fails. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "read_settings.h"
#include "stack/sip_stack.h"
#include "trunks/resolver.h"
#include "trunks/trunk_failover.h"
#include "trunks/trunk_health.h"
#include "trunks/trunk_limits.h"
#include "trunks/trunk_lookup.h"

namespace patchbay::sip_trunk {

// What calls at trunks share; all outlive them.
struct TrunkAccesses {
  Resolver& resolver;
  TrunkLimits& limits;
  TrunkHealth& health;
};

class TrunkAttempts {
 public:
  struct Order {
    std::string tenant;
    std::string number;
    std::string display_name{};
    std::string call_id;
    uint32_t attempt = 1;
    int64_t ring_timeout_ms = 0;
    std::string replaces{};  // value of Replaces; "": none
  };
  struct Callbacks {
    // Returns the SDP of the INVITE to that address.
    Function<Result<std::string>(const TrunkAccess& trunk, const lib::SocketAddress& to)> offer;
    Function<void(DialogId)> dialled;
    // All trunks have failed, or the callee does not take the call.
    Function<void(telephony::Ended)> failed;
    // A trunk is passed over because of its limit.
    Function<void(const TrunkRefusal&)> limited;
  };
  // The events of each dialog go to `listener`, which passes them on to the functions below. Both outlive
  // this, as what is borrowed by `shared`.
  TrunkAttempts(const Host& host, SipStack& stack, TrunkAccesses shared, const ServerSettings& server,
                const Log& log, std::map<std::string, TrunkAccess> trunks, std::vector<std::string> trunk_ids,
                Order order, DialogListener& listener, Callbacks callbacks);

  // `family`: of the addresses that the media can reach.
  void start(int family);
  void on_progress(int status);
  // The dialog has ended before the callee answered.
  void on_ended(const DialogEnd& ended);
  // No further trunk is tried; the dialog, if there is one, is the caller's to end.
  void cancel();
  // The place at the trunk that the callee was reached by, which is released by the destructor otherwise.
  TrunkPlace take_place() { return std::move(place_); }
  void release_place() { place_ = TrunkPlace(); }

  // Null: none is left.
  const std::string* trunk_id() const noexcept { return failover_.current(); }
  const TrunkAccess& trunk() const { return trunks_.at(*failover_.current()); }
  // Why the trunks before the current one failed.
  const std::string& earlier_trunks() const noexcept { return earlier_trunks_; }

 private:
  void try_trunk();
  void on_full(const TrunkRefusal& refused);
  void on_down(const std::string& why);
  bool pass_over(const std::string& why);
  void on_resolved(const Result<TrunkTargets>& found);
  void fail(telephony::Ended result);

  // borrowed
  const Host& host_;
  SipStack& stack_;
  TrunkLimits& limits_;
  TrunkHealth& health_;
  const ServerSettings& server_;
  const Log& log_;
  DialogListener& listener_;
  // owned
  const std::map<std::string, TrunkAccess> trunks_;
  const Order order_;
  const Callbacks callbacks_;
  TrunkFailover failover_;
  TrunkPlace place_;  // at the current trunk
  TrunkLookup lookup_;
  // state
  int family_ = 0;
  std::string earlier_trunks_;
  bool cancelled_ = false;
};

}  // namespace patchbay::sip_trunk

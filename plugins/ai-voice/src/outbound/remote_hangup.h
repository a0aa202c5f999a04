// RemoteHangup: hangs up calls that another server on the database runs: leaves the request in the store and
// waits until the call has ended. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/strand.h>

#include <list>

#include "outbound/call_store.h"

namespace patchbay::ai_voice {

class RemoteHangup {
 public:
  RemoteHangup(const Host& host, const CallStore& store) : host_(host), store_(store), timer_(host) {}

  // Calls done() with the call once its attempt has ended, or another run has taken it. Code::unavailable: it
  // was not ended within kMaxRemoteHangupMs.
  void request(const Call& call, Function<void(const Result<Call>&)> done);

 private:
  struct Wait {
    Call call;
    int64_t deadline_ns;
    Function<void(const Result<Call>&)> done;
  };
  void wait(Wait wait);
  void check();
  void take(Wait wait, const Result<Call>& now);

  // borrowed
  const Host& host_;
  const CallStore& store_;
  // owned
  Timer timer_;
  std::list<Wait> waits_;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice

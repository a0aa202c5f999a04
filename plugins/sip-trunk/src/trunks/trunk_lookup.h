// TrunkLookup: finds the addresses of all hosts of a trunk, within a time limit, because the SIP thread must
// only see numeric addresses. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <string>
#include <vector>

#include "stack/sip_types.h"
#include "trunks/resolver.h"

namespace patchbay::sip_trunk {

// The addresses of a trunk, in the order in which they are tried, all for one transport.
struct TrunkTargets {
  Transport transport = Transport::udp;
  std::vector<Target> targets;
};

class TrunkLookup {
 public:
  using Done = Function<void(const Result<TrunkTargets>&)>;

  TrunkLookup(const Host& host, Resolver& resolver, const Log& log);

  // Calls `done` once, later. A host without an answer has the addresses found last; it is left out if there
  // are none. Code::unavailable: no host has any; the text says why. One lookup at a time.
  void start(const TrunkAccess& trunk, int family, int64_t limit_ms, Done done);
  // Drops `done`.
  void cancel();
  bool is_running() const noexcept { return static_cast<bool>(done_); }

 private:
  struct Answer {
    HostQuery query;
    Result<Location> found = Error{Code::timeout, "no answer in time"};
  };
  void on_resolved(size_t run, size_t index, const Result<Location>& found);
  void finish();

  const Host& host_;
  Resolver& resolver_;
  const Log log_;
  Timer limit_;
  Done done_;
  size_t run_ = 0;  // number of the current lookup
  size_t pending_ = 0;
  std::vector<Answer> answers_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk

// SharedTrunkUse: lets servers on one database share the limits of trunks: publishes how many calls this
// server has at each trunk, and reads those of the others. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <map>

#include "owner/owner.h"
#include "trunks/trunk_limits.h"

namespace patchbay::sip_trunk {

class SharedTrunkUse {
 public:
  // `limits` outlives this.
  SharedTrunkUse(const Host& host, TrunkLimits& limits, lib::Owner owner);

  // Exchanges once a second if other servers may use the database.
  void start();

 private:
  void publish();
  void read();
  void take(const Rows& rows);
  void schedule();

  const Host& host_;
  TrunkLimits& limits_;
  const lib::Owner owner_;
  const Log log_;
  const Statement put_, remove_, others_;
  Timer timer_;
  std::map<TrunkKey, int64_t> published_;
  bool failed_ = false;  // reported once
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk

// WhitelistGate: the dial gate of telephony that refuses numbers that are not listed. Main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/dial_gate.h>

#include "entry_store.h"

namespace patchbay::whitelist {

class WhitelistGate {
 public:
  // Borrows both. Registers the gate whenever telephony is available.
  WhitelistGate(const Host& host, EntryStore& entries);

 private:
  void check(const telephony::Check& check, Reply<telephony::Verdict> reply);

  // borrowed
  EntryStore& entries_;
  // owned
  const Log log_;
  const Metric refused_;
  telephony::DialGateRegistration registration_;
};

}  // namespace patchbay::whitelist

// Retention: removes remembered replies after a day, and records of ended calls after the configured time.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include "config.h"
#include "outbound/call_metrics.h"
#include "outbound/call_store.h"

namespace patchbay::ai_voice {

// How long an Idempotency-Key gives the first answer again.
constexpr int64_t kRememberMs = int64_t{24} * 3600 * 1000;

// Main strand only. Works in slices, one transaction each, so that nobody else waits for the store. Exports
// the number of open calls as well, because it looks at the store anyway.
class Retention {
 public:
  Retention(const Host& host, const CallStore& store, const Settings& settings, const CallMetrics& metrics);
  void start();

 private:
  void sweep();
  void count();

  // borrowed
  const Host& host_;
  const CallStore& store_;
  const Settings& settings_;
  const CallMetrics& metrics_;
  // owned
  const Log log_;
  Timer sweep_timer_;
  Timer count_timer_;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice

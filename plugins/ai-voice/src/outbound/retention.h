// Retention: deletes idempotent replies after a day, and records of ended calls after the configured time.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include "outbound/call_metrics.h"
#include "outbound/call_store.h"
#include "read_settings.h"

namespace patchbay::ai_voice {

// Main strand only. Deletes in batches, one transaction each, so that other transactions do not wait. Also
// exports the number of open calls.
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

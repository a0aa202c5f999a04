// Retention: deletes idempotent replies after a day, and records of ended calls after the configured time.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include "outbound/call_metrics.h"
#include "outbound/call_store.h"
#include "read_settings.h"

namespace patchbay::ai_voice {

// How long a request with the same Idempotency-Key gets the first reply again.
constexpr int64_t kIdempotencyWindowMs = int64_t{24} * 3600 * 1000;

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

// Retention: deletes deliveries that a paused subscription did not get within 24 h, ended deliveries after
// keepDays, and bodies and secrets that no delivery needs. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

namespace patchbay::webhooks {

class Retention {
 public:
  Retention(const Host& host, const Log& log);
  void configure(int64_t keep_ms) { keep_ms_ = keep_ms; }
  // Sweeps now and then every minute.
  void start() { sweep(); }

 private:
  void sweep();

  // borrowed
  const Host& host_;
  const Log& log_;
  // owned
  const Statement paused_, done_, bodies_, secrets_;
  Timer timer_;
  Lifetime alive_;
  // state
  int64_t keep_ms_ = 0;
};

}  // namespace patchbay::webhooks

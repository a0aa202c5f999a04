// What waits, as metrics: how many deliveries are pending, how long the oldest of them is overdue, how many
// subscriptions are paused. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include "subscription.h"

namespace patchbay::webhooks {

class Backlog {
 public:
  Backlog(const Host& host, Registry& registry);
  // Looks now, and then every 15 s.
  void open();

 private:
  void show(const Rows& rows);

  // borrowed
  const Host& host_;
  Registry& registry_;
  // owned
  const Statement query_;
  const Metric pending_, overdue_, paused_;
  Timer timer_;
  Lifetime alive_;
};

}  // namespace patchbay::webhooks

// BacklogMetrics: the number of pending deliveries, how long the oldest is overdue, and the number of paused
// subscriptions. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include "subscription.h"

namespace patchbay::webhooks {

class BacklogMetrics {
 public:
  BacklogMetrics(const Host& host, SubscriptionRegistry& registry);
  // Updates them now and then every kBacklogIntervalMs.
  void start();

 private:
  void show(const Rows& rows);

  // borrowed
  const Host& host_;
  SubscriptionRegistry& registry_;
  // owned
  const Statement query_;
  const Metric pending_, overdue_, paused_;
  Timer timer_;
  Lifetime alive_;
};

}  // namespace patchbay::webhooks

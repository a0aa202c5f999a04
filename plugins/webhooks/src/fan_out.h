// From the event log to deliveries: durable, once per event and subscription. On the main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <memory>
#include <set>
#include <string>

#include "event_catalogue.h"
#include "subscription.h"

namespace patchbay::webhooks {

class FanOut {
 public:
  // New deliveries of this subscription are in the store.
  using Added = Function<void(const std::string& subscription)>;

  FanOut(const Host& host, const Log& log, const EventCatalogue& catalogue, Registry& registry, Added added);

  // Begins to read the log, if any plugin emits what a webhook can be about.
  void open();
  // A webhook.test for one subscription, whatever it subscribes to. done(delivery id).
  void test(const Subscription& subscription, const std::string& requested_by,
            Function<void(Result<std::string>)> done);

 private:
  using Batch = std::set<std::string>;  // subscriptions

  void read();
  void take(const std::vector<Event>& events);
  void add(Transaction& tx, const Event& event, Batch& batch);
  void add_delivery(Transaction& tx, const Subscription& subscription, const Event& event,
                    const std::string& key);
  void committed(const Commit& outcome, const Batch& batch);

  // borrowed
  const Host& host_;
  const Log& log_;
  const EventCatalogue& catalogue_;
  Registry& registry_;
  // owned
  const Added added_;
  const Statement body_add_, delivery_add_;
  std::unique_ptr<Consumer> consumer_;
  Timer again_;
  Lifetime alive_;
  // state
  bool busy_ = false;
  bool woken_ = false;  // while busy
};

}  // namespace patchbay::webhooks

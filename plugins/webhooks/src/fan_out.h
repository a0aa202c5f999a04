// FanOut: reads the event log and stores one delivery per event and subscription. On the main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/audit.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "event_catalogue.h"
#include "subscription.h"

namespace patchbay::webhooks {

class FanOut {
 public:
  // Called after new deliveries of the subscription were stored.
  using Added = Function<void(const std::string& subscription)>;
  // Called for each event that was read, which then is in its tenant's log.
  using Logged = Function<void(std::string_view tenant)>;

  FanOut(const Host& host, const Log& log, const EventCatalogue& catalogue, SubscriptionRegistry& registry,
         Added added, Logged logged);

  // Starts reading the log, if any plugin emits an event for webhooks.
  void start();
  // Stores a webhook.test for one subscription, whatever its events, with the audit record of the request.
  // done(delivery id).
  void test(const Subscription& subscription, audit::Record record, Function<void(Result<std::string>)> done);

 private:
  using Batch = std::set<std::string>;  // subscriptions

  void read();
  void store(const std::vector<Event>& events);
  // Returns about how many bytes it added to the transaction.
  size_t add(Transaction& tx, const Event& event, Batch& batch);
  bool check_payload(const Event& event) const;
  void add_delivery(Transaction& tx, const Subscription& subscription, const Event& event,
                    const std::string& key);
  void on_commit(const Commit& outcome, const Batch& batch);

  // borrowed
  const Host& host_;
  const Log& log_;
  const EventCatalogue& catalogue_;
  SubscriptionRegistry& registry_;
  // owned
  const Added added_;
  const Logged logged_;
  const Statement body_add_, delivery_add_;
  const Metric dropped_;
  std::unique_ptr<Consumer> consumer_;
  Timer retry_timer_;
  audit::Trail trail_;
  Lifetime alive_;
  // state
  bool busy_ = false;
  bool woken_ = false;  // while busy
};

}  // namespace patchbay::webhooks

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
  // Whether the subscription's receiver is a quick one.
  using Quick = Function<bool(const std::string& subscription)>;
  // Called for each event that was read, which then is in its tenant's log.
  using Logged = Function<void(std::string_view tenant)>;

  FanOut(const Host& host, const Log& log, const EventCatalogue& catalogue, SubscriptionRegistry& registry,
         Added added, Quick quick, Logged logged);

  // Starts reading the log, if any plugin emits an event for webhooks.
  void start();
  // Stores a webhook.test for one subscription, whatever its events, with the audit record of the request.
  // done(delivery id).
  void test(const Subscription& subscription, audit::Record record, Function<void(Result<std::string>)> done);

 private:
  // Deliveries that are stored together.
  struct Batch {
    explicit Batch(const Host& host) : tx(host) {}
    Transaction tx;
    std::set<int64_t> bodies;  // of these events
    std::set<std::string> subscriptions;
  };

  void read();
  void store(const std::vector<Event>& events);
  // Returns about how many bytes it added to the batches.
  size_t add(const Event& event, Batch& quick, Batch& others);
  bool check_payload(const Event& event) const;
  void add_delivery(Transaction& tx, const Subscription& subscription, const Event& event,
                    const std::string& key);
  // Calls next() when the batch is stored, otherwise reads the events again later.
  void commit(Batch batch, Function<void()> next);

  // borrowed
  const Host& host_;
  const Log& log_;
  const EventCatalogue& catalogue_;
  SubscriptionRegistry& registry_;
  // owned
  const Added added_;
  const Quick quick_;
  const Logged logged_;
  const Statement body_add_, delivery_add_;
  const Metric dropped_;
  std::unique_ptr<Consumer> consumer_;
  Timer retry_timer_;
  Timer others_timer_;  // stores the deliveries to receivers that are not quick
  audit::Trail trail_;
  Lifetime alive_;
  // state
  bool busy_ = false;
  bool woken_ = false;  // while busy
};

}  // namespace patchbay::webhooks

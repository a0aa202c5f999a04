// DeliveryQueue: chooses the deliveries that are due and starts their attempts. One lane per subscription, so
// that a receiver that hangs does not delay other subscriptions, nor do many of them (in_flight_limit.h). The
// queue is in the store. With several servers on one database each lane is served by one of them. On the main
// strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "delivery_outcome.h"
#include "delivery_request.h"
#include "http_sender.h"
#include "in_flight_limit.h"
#include "lane_ownership.h"
#include "read_settings.h"
#include "subscription.h"

namespace patchbay::webhooks {

class DeliveryQueue {
 public:
  DeliveryQueue(const Host& host, const Log& log, SubscriptionRegistry& registry, HttpSender& sender);

  void configure(const Settings& settings) { settings_ = settings; }
  // Starts the lanes that have pending deliveries.
  void start();
  // Call it when the subscription has a new delivery or was changed. Those with quick receivers go first,
  // because looking for the deliveries of many others takes as long as many requests.
  void wake(const std::string& subscription);
  // Whether the last attempt that ended was a quick success.
  bool is_quick(const std::string& subscription) const;
  // Starts no further attempt; calls idle() when those in flight have ended.
  void drain(Function<void()> idle);

 private:
  // An attempt whose body is not read yet.
  struct Unsent {
    Delivery delivery;
    Attempt attempt;
  };
  struct Lane {
    explicit Lane(const Host& host) : timer(host) {}
    Timer timer;
    std::set<std::string> in_flight;  // deliveries
    std::set<std::string> subjects;   // of first attempts under way
    std::vector<std::string> ended;   // while reading, because the rows may still show them as pending
    std::string tenant;               // while reading, which takes a slot
    bool reading = false;
    bool changed = false;  // while reading
    bool quick = false;    // the last attempt that ended was a success within kQuickMs, its response complete
    bool reading_quick = false;
    bool waking = false;      // is in waking_
    bool wakes_next = false;  // when it has been read, the next one of waking_ is pumped
  };

  Lane& lane(const std::string& subscription);
  void wake_later();
  void wake_next();
  void pump(const std::string& id);
  void read(const std::string& id, const Result<Rows>& rows);
  void on_rows(const std::string& id, const Rows& rows);
  static std::vector<Delivery> read_rows(const Rows& rows, const Lane& lane);
  bool may_start(const std::string& id, const std::string& tenant, const Lane& lane);
  static SlotKind kind_of(const Lane& lane);
  void assign_slots();
  void take_slot(const std::string& tenant, bool quick);
  void release_slot(const std::string& tenant, bool quick);
  void start_attempt(const Subscription& subscription, Lane& lane, const Delivery& delivery);
  void read_body(Unsent unsent);
  void read_body_later(Unsent unsent, const Error& why);
  void send(Unsent unsent);
  Post make_post(const Subscription& subscription, const Delivery& delivery, const Secret& secret) const;
  void on_ended(Attempt attempt);
  void release(const Attempt& attempt);

  // borrowed
  const Host& host_;
  const Log& log_;
  SubscriptionRegistry& registry_;
  HttpSender& sender_;
  // owned
  const Statement lanes_query_, pending_, body_;
  const Metric in_flight_gauge_;
  LaneOwnership ownership_;
  OutcomeRecorder outcomes_;
  Timer body_timer_;
  Lifetime alive_;
  // state
  Settings settings_;
  std::map<std::string, std::unique_ptr<Lane>> lanes_;  // by subscription
  InFlightLimit in_flight_limit_;
  std::deque<std::string> waking_;  // pumped one after the other
  bool wakes_ = false;              // one of them is pumped, or will be
  std::vector<Unsent> unread_;      // whose body the store did not read
  bool draining_ = false;
  Function<void()> idle_;
};

}  // namespace patchbay::webhooks

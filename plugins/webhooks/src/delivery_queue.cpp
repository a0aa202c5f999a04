#include "delivery_queue.h"

#include <utility>

#include "event_catalogue.h"
#include "webhook_limits.h"

namespace patchbay::webhooks {

DeliveryQueue::DeliveryQueue(const Host& host, const Log& log, SubscriptionRegistry& registry,
                             HttpSender& sender)
    : host_(host),
      log_(log),
      registry_(registry),
      sender_(sender),
      lanes_query_(Statement::find(host, "lanes")),
      pending_(Statement::find(host, "deliveries-pending")),
      body_(Statement::find(host, "body")),
      in_flight_gauge_(Metric::gauge(host, "patchbay_webhooks_in_flight", "Requests to receivers in flight")),
      ownership_(host, log, [this](const std::string& id) { pump(id); }),
      outcomes_(host, log, registry, [this](const Attempt& attempt) { release(attempt); }),
      body_timer_(host) {}

void DeliveryQueue::start() {
  ownership_.start();
  query(host_, lanes_query_, {}, alive_.bind([this](const Result<Rows>& rows) {
    if (!rows) return log_.error("pending deliveries cannot be read", {{"why", rows.error().text}});
    for (size_t i = 0; i < rows->size(); ++i) pump(std::string(rows->text(i, 0)));
  }));
}

DeliveryQueue::Lane& DeliveryQueue::lane(const std::string& subscription) {
  auto& lane = lanes_[subscription];
  if (!lane) lane = std::make_unique<Lane>(host_);
  return *lane;
}

SlotKind DeliveryQueue::kind_of(const Lane& lane) {
  if (lane.quick) return SlotKind::quick;
  return lane.in_flight.empty() ? SlotKind::first : SlotKind::further;
}

// False: the lane is at its limit, and continues when a request of it ends; or no slot is free, and it waits
// in the queue.
bool DeliveryQueue::may_start(const std::string& id, const std::string& tenant, const Lane& lane) {
  if (draining_ || lane.in_flight.size() >= settings_.max_in_flight) return false;
  if (in_flight_limit_.has_room(tenant, kind_of(lane))) return true;
  in_flight_limit_.wait(tenant, id, kind_of(lane));
  return false;
}

void DeliveryQueue::assign_slots() {
  while (const auto next = in_flight_limit_.next()) pump(*next);
}

void DeliveryQueue::take_slot(const std::string& tenant, bool quick) {
  in_flight_limit_.take(tenant, quick);
  in_flight_gauge_.set(static_cast<double>(in_flight_limit_.used()));
}

void DeliveryQueue::release_slot(const std::string& tenant, bool quick) {
  in_flight_limit_.release(tenant, quick);
  in_flight_gauge_.set(static_cast<double>(in_flight_limit_.used()));
  if (in_flight_limit_.used() == 0 && idle_) std::exchange(idle_, {})();
}

bool DeliveryQueue::is_quick(const std::string& id) const {
  const auto lane = lanes_.find(id);
  return lane != lanes_.end() && lane->second->quick;
}

void DeliveryQueue::wake(const std::string& id) {
  Lane& lane = this->lane(id);
  if (lane.quick) return pump(id);
  if (std::exchange(lane.waking, true)) return;
  waking_.push_back(id);
  if (!std::exchange(wakes_, true)) wake_later();
}

void DeliveryQueue::wake_later() {
  post(host_, kMainStrand, alive_.bind([this] { wake_next(); }));
}

// The next one waits until this lane has been read, so that a quick lane's query waits for one of these at
// most.
void DeliveryQueue::wake_next() {
  if (waking_.empty()) {
    wakes_ = false;
    return;
  }
  const std::string id = std::move(waking_.front());
  waking_.pop_front();
  lane(id).waking = false;
  pump(id);
  const auto woken = lanes_.find(id);
  if (woken == lanes_.end() || !woken->second->reading) return wake_later();
  woken->second->wakes_next = true;
}

void DeliveryQueue::pump(const std::string& id) {
  Lane& lane = this->lane(id);
  if (lane.reading) {
    lane.changed = true;
    return;
  }
  const Subscription* subscription = registry_.find(id);
  if (subscription == nullptr) {
    if (lane.in_flight.empty()) lanes_.erase(id);
    return;
  }
  if (!ownership_.has(id) || !may_start(id, subscription->tenant, lane)) return;
  lane.reading = true;
  lane.changed = false;
  lane.tenant = subscription->tenant;
  lane.reading_quick = lane.quick;
  take_slot(lane.tenant, lane.quick);
  query(host_, pending_, {id, subscription->active ? 1 : 0, lane.in_flight.size() + kLookAhead},
        alive_.bind([this, id](const Result<Rows>& rows) { read(id, rows); }));
}

void DeliveryQueue::read(const std::string& id, const Result<Rows>& rows) {
  Lane& lane = this->lane(id);
  lane.reading = false;
  if (std::exchange(lane.wakes_next, false)) wake_later();
  release_slot(lane.tenant, lane.reading_quick);
  if (rows) on_rows(id, *rows);
  for (const std::string& delivery : std::exchange(lane.ended, {})) lane.in_flight.erase(delivery);
  if (!rows) {
    log_.warn("pending deliveries cannot be read", {{"why", rows.error().text}});
    lane.timer.after_ms(kStoreRetryMs, [this, id] { pump(id); });
  } else if (lane.changed) {
    pump(id);
  }
  assign_slots();  // if this lane did not use its slot
}

// The deliveries that are not in flight, in the order in which they may be sent.
std::vector<Delivery> DeliveryQueue::read_rows(const Rows& rows, const Lane& lane) {
  std::vector<Delivery> list;
  for (size_t i = 0; i < rows.size(); ++i) {
    Delivery one;
    one.id = rows.text(i, 0);
    if (lane.in_flight.count(one.id) != 0) continue;
    one.seq = rows.integer(i, 1);
    one.topic = rows.text(i, 2);
    one.subject = rows.text(i, 3);
    one.secret_rev = rows.integer(i, 4);
    one.attempt = rows.integer(i, 5);
    one.due_ms = rows.integer(i, 6);
    one.event = rows.text(i, 7);
    list.push_back(std::move(one));
  }
  return list;
}

void DeliveryQueue::on_rows(const std::string& id, const Rows& rows) {
  const Subscription* subscription = registry_.find(id);
  if (subscription == nullptr) return;
  Lane& lane = this->lane(id);
  const int64_t now_ms = host_.wall_ms();
  for (const Delivery& delivery : read_rows(rows, lane)) {
    if (delivery.due_ms > now_ms) {  // the first one in the future
      lane.timer.at_wall_ms(delivery.due_ms, [this, id] { wake(id); });
      return;
    }
    if (!may_start(id, subscription->tenant, lane)) return;
    if (!subscription->active && delivery.topic != kTestTopic) continue;  // paused since
    if (delivery.in_order() && lane.subjects.count(delivery.subject) != 0) continue;
    start_attempt(*subscription, lane, delivery);
  }
}

Post DeliveryQueue::make_post(const Subscription& subscription, const Delivery& delivery,
                              const Secret& secret) const {
  Post post;
  post.url = subscription.url;
  post.headers = delivery_headers(delivery, secret.value, host_.wall_ms());
  post.body = delivery.body;
  post.ca_file = settings_.ca_file;
  post.allow_private = settings_.allows_private(subscription.tenant);
  return post;
}

void DeliveryQueue::start_attempt(const Subscription& subscription, Lane& lane, const Delivery& delivery) {
  Attempt attempt;
  attempt.subscription = subscription.id;
  attempt.tenant = subscription.tenant;
  attempt.delivery = delivery.id;
  attempt.topic = delivery.topic;
  if (delivery.in_order()) attempt.subject = delivery.subject;
  attempt.number = delivery.attempt + 1;
  attempt.due_ms = delivery.due_ms;
  lane.in_flight.insert(delivery.id);
  if (!attempt.subject.empty()) lane.subjects.insert(attempt.subject);
  attempt.quick = lane.quick;
  take_slot(subscription.tenant, lane.quick);
  read_body({delivery, std::move(attempt)});
}

// Reads one body per attempt, because those of all pending deliveries could exceed the limit of a result.
void DeliveryQueue::read_body(Unsent unsent) {
  const Values event{unsent.delivery.event};
  query(host_, body_, event,
        alive_.bind([this, unsent = std::move(unsent)](const Result<Rows>& rows) mutable {
          if (!rows) return read_body_later(std::move(unsent), rows.error());
          if (!rows->empty()) unsent.delivery.body = rows->text(0, 0);
          send(std::move(unsent));
        }));
}

void DeliveryQueue::read_body_later(Unsent unsent, const Error& why) {
  if (unread_.empty()) log_.warn("the bodies of deliveries cannot be read", {{"why", why.text}});
  unread_.push_back(std::move(unsent));
  if (body_timer_.armed()) return;
  body_timer_.after_ms(kStoreRetryMs, [this] {
    std::vector<Unsent> list = std::exchange(unread_, {});
    for (Unsent& one : list) read_body(std::move(one));
  });
}

void DeliveryQueue::send(Unsent unsent) {
  const Delivery& delivery = unsent.delivery;
  Attempt& attempt = unsent.attempt;
  const Subscription* subscription = registry_.find(attempt.subscription);
  if (subscription == nullptr) return release(attempt);  // deleted meanwhile
  attempt.started_ms = host_.wall_ms();
  const Secret* secret = subscription->secret_of(delivery.secret_rev);
  if (secret == nullptr || secret->value.empty())
    attempt.outcome.error = "the secret cannot be read: rotate it";
  else if (delivery.body.empty())
    attempt.outcome.error = "the body is no longer stored";
  if (!attempt.outcome.error.empty()) return outcomes_.record(std::move(attempt));
  Post post = make_post(*subscription, delivery, *secret);
  auto on_strand = alive_.bind([this](Attempt done) { on_ended(std::move(done)); });
  sender_.send(std::move(post),
               [&host = host_, on_strand, attempt = std::move(attempt)](Outcome outcome) mutable {
                 attempt.outcome = std::move(outcome);
                 patchbay::post(host, kMainStrand, [on_strand, attempt = std::move(attempt)]() mutable {
                   on_strand(std::move(attempt));
                 });
               });
}

void DeliveryQueue::on_ended(Attempt attempt) {
  lane(attempt.subscription).quick = attempt.outcome.delivered && attempt.outcome.complete &&
                                     host_.wall_ms() - attempt.started_ms <= kQuickMs;
  outcomes_.report(attempt);
  outcomes_.record(std::move(attempt));
}

void DeliveryQueue::release(const Attempt& attempt) {
  Lane& lane = this->lane(attempt.subscription);
  if (lane.reading) {
    lane.ended.push_back(attempt.delivery);
  } else {
    lane.in_flight.erase(attempt.delivery);
  }
  if (!attempt.subject.empty()) lane.subjects.erase(attempt.subject);
  if (lane.reading)
    lane.changed = true;
  else
    in_flight_limit_.wait(attempt.tenant, attempt.subscription,
                          kind_of(lane));  // after those that wait already
  release_slot(attempt.tenant, attempt.quick);
  assign_slots();
}

void DeliveryQueue::drain(Function<void()> idle) {
  draining_ = true;
  if (in_flight_limit_.used() == 0) return idle();
  idle_ = std::move(idle);
}

}  // namespace patchbay::webhooks

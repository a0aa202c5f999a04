#include "delivery_queue.h"

#include <utility>

#include "event_catalogue.h"
#include "retry_schedule.h"
#include "signature.h"

namespace patchbay::webhooks {
namespace {

constexpr size_t kLookAhead = 32;  // rows read beyond those in flight
constexpr int64_t kRetryMs = 1000;

}  // namespace

DeliveryQueue::DeliveryQueue(const Host& host, const Log& log, SubscriptionRegistry& registry,
                             HttpSender& sender)
    : host_(host),
      log_(log),
      registry_(registry),
      sender_(sender),
      lanes_query_(Statement::find(host, "lanes")),
      pending_(Statement::find(host, "deliveries-pending")),
      retry_(Statement::find(host, "delivery-retry")),
      end_(Statement::find(host, "delivery-end")),
      succeeded_(Statement::find(host, "subscription-succeeded")),
      failed_(Statement::find(host, "subscription-failed")),
      delivered_(Metric::counter(host, "patchbay_webhooks_delivered", "Deliveries that a receiver accepted")),
      attempts_failed_(Metric::counter(host, "patchbay_webhooks_attempts_failed", "Attempts that failed")),
      deliveries_failed_(Metric::counter(host, "patchbay_webhooks_deliveries_failed",
                                         "Deliveries that failed in 4 attempts")),
      paused_(Metric::counter(host, "patchbay_webhooks_paused", "Subscriptions paused after 20 failures")),
      in_flight_(Metric::gauge(host, "patchbay_webhooks_in_flight", "Requests to receivers in flight")),
      record_timer_(host) {}

void DeliveryQueue::start() {
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

// False: the lane is at its limit, and continues when a request of it ends; or no slot is free, and it waits
// in the queue.
bool DeliveryQueue::may_start(const std::string& id, const std::string& tenant, const Lane& lane) {
  if (draining_ || lane.in_flight.size() >= settings_.max_in_flight) return false;
  if (slots_.has_room(tenant)) return true;
  slots_.wait(tenant, id);
  return false;
}

void DeliveryQueue::assign_slots() {
  while (const auto next = slots_.next()) pump(*next);
}

void DeliveryQueue::take_slot(const std::string& tenant) {
  slots_.take(tenant);
  in_flight_.set(static_cast<double>(slots_.used()));
}

void DeliveryQueue::release_slot(const std::string& tenant) {
  slots_.release(tenant);
  in_flight_.set(static_cast<double>(slots_.used()));
  if (slots_.used() == 0 && idle_) std::exchange(idle_, {})();
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
  if (!may_start(id, subscription->tenant, lane)) return;
  lane.reading = true;
  lane.changed = false;
  lane.tenant = subscription->tenant;
  take_slot(lane.tenant);
  query(host_, pending_, {id, subscription->active ? 1 : 0, lane.in_flight.size() + kLookAhead},
        alive_.bind([this, id](const Result<Rows>& rows) { read(id, rows); }));
}

void DeliveryQueue::read(const std::string& id, const Result<Rows>& rows) {
  Lane& lane = this->lane(id);
  lane.reading = false;
  release_slot(lane.tenant);
  if (rows) on_rows(id, *rows);
  for (const std::string& delivery : std::exchange(lane.ended, {})) lane.in_flight.erase(delivery);
  if (!rows) {
    log_.warn("pending deliveries cannot be read", {{"why", rows.error().text}});
    lane.timer.after_ms(kRetryMs, [this, id] { pump(id); });
  } else if (lane.changed) {
    pump(id);
  }
  assign_slots();  // if this lane did not use its slot
}

// The deliveries that are not in flight, in the order in which they may be sent.
std::vector<DeliveryQueue::Delivery> DeliveryQueue::read_rows(const Rows& rows, const Lane& lane) {
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
    one.body = rows.text(i, 7);
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
      lane.timer.at_wall_ms(delivery.due_ms, [this, id] { pump(id); });
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
  const std::string timestamp = std::to_string(host_.wall_ms() / 1000);
  Post post;
  post.url = subscription.url;
  post.body = delivery.body;
  post.ca_file = settings_.ca_file;
  post.allow_private = settings_.allows_private(subscription.tenant);
  post.headers = {
      "Content-Type: application/json",
      "User-Agent: Patchbay-Webhooks/1",
      "Accept: */*",
      "Expect:",
      "X-Platform-Event: " + delivery.topic,
      "X-Platform-Delivery-Id: " + delivery.id,
      "X-Platform-Attempt: " + std::to_string(delivery.attempt + 1),
      "X-Platform-Signature: " + signature(secret.value, delivery.body),
      "X-Platform-Timestamp: " + timestamp,
      "X-Platform-Signature-V2: " + signature_v2(secret.value, timestamp, delivery.body),
  };
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
  attempt.started_ms = host_.wall_ms();
  lane.in_flight.insert(delivery.id);
  if (!attempt.subject.empty()) lane.subjects.insert(attempt.subject);
  take_slot(subscription.tenant);

  const Secret* secret = subscription.secret_of(delivery.secret_rev);
  if (secret == nullptr || secret->value.empty()) {
    attempt.outcome.error = "the secret cannot be read: rotate it";
    return record(std::move(attempt));
  }
  auto on_strand = alive_.bind([this](Attempt done) { on_ended(std::move(done)); });
  sender_.send(make_post(subscription, delivery, *secret),
               [&host = host_, on_strand, attempt = std::move(attempt)](Outcome outcome) mutable {
                 attempt.outcome = std::move(outcome);
                 post(host, kMainStrand,
                      [on_strand, attempt = std::move(attempt)]() mutable { on_strand(std::move(attempt)); });
               });
}

void DeliveryQueue::on_ended(Attempt attempt) {
  if (!attempt.outcome.delivered) {
    attempts_failed_.add();
    log_.info("a delivery failed", {{"subscription", attempt.subscription},
                                    {"delivery", attempt.delivery},
                                    {"event", attempt.topic},
                                    {"attempt", attempt.number},
                                    {"why", attempt.outcome.error}});
  }
  record(std::move(attempt));
}

void DeliveryQueue::record(Attempt attempt) {
  const Outcome& outcome = attempt.outcome;
  Transaction tx(host_);
  if (outcome.delivered) {
    tx.exec(end_, {attempt.delivery, "delivered", attempt.number, outcome.status, "", host_.wall_ms()}, 1);
    tx.exec(succeeded_, {attempt.subscription, host_.wall_ms()});
  } else {
    record_failure(tx, attempt);
  }
  std::move(tx).commit(alive_.bind([this, attempt = std::move(attempt)](const Commit& committed) mutable {
    const bool busy = committed.code() == Code::unavailable || committed.code() == Code::exhausted;
    if (busy) return retry_recording(std::move(attempt));
    on_recorded(attempt, committed);
  }));
}

void DeliveryQueue::record_failure(Transaction& tx, const Attempt& attempt) const {
  const Outcome& outcome = attempt.outcome;
  const auto next_ms = next_attempt_ms(static_cast<int>(attempt.number), attempt.due_ms, attempt.started_ms);
  if (next_ms) {
    tx.exec(retry_, {attempt.delivery, attempt.number, *next_ms, outcome.status, outcome.error}, 1);
    return;
  }
  tx.exec(end_, {attempt.delivery, "failed", attempt.number, outcome.status, outcome.error, host_.wall_ms()},
          1);
  tx.exec(failed_, {attempt.subscription, kFailuresToPause});
}

// Keeps the delivery in flight until its outcome is recorded, so that it is not sent twice because of, say, a
// full disk.
void DeliveryQueue::retry_recording(Attempt attempt) {
  unrecorded_.push_back(std::move(attempt));
  if (record_timer_.armed()) return;
  record_timer_.after_ms(kRetryMs, [this] {
    std::vector<Attempt> list = std::exchange(unrecorded_, {});
    for (Attempt& one : list) record(std::move(one));
  });
}

void DeliveryQueue::on_recorded(const Attempt& attempt, const Commit& outcome) {
  if (outcome) {
    count(attempt, outcome);
  } else if (outcome.code() != Code::conflict) {  // conflict: the subscription was deleted meanwhile
    log_.warn("an attempt cannot be recorded",
              {{"delivery", attempt.delivery}, {"why", outcome.error().text}});
  }
  release(attempt);
}

void DeliveryQueue::count(const Attempt& attempt, const Commit& outcome) {
  Subscription* subscription = registry_.find(attempt.subscription);
  if (attempt.outcome.delivered) {
    delivered_.add();
    if (subscription == nullptr) return;
    subscription->failures = 0;
    subscription->last_fired_ms = host_.wall_ms();
    return;
  }
  if (attempt.number < kMaxAttempts) return;
  deliveries_failed_.add();
  const Rows counted = outcome.result(1);
  if (subscription == nullptr || counted.empty()) return;
  subscription->failures = counted.integer(0, 0);
  const bool pauses = subscription->active && counted.integer(0, 1) == 0;
  subscription->active = counted.integer(0, 1) != 0;
  if (!pauses) return;
  paused_.add();
  log_.warn("a subscription is paused: too many deliveries in a row failed",
            {{"subscription", subscription->id},
             {"tenant", subscription->tenant},
             {"failures", subscription->failures}});
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
    slots_.wait(attempt.tenant, attempt.subscription);  // after those that wait already
  release_slot(attempt.tenant);
  assign_slots();
}

void DeliveryQueue::drain(Function<void()> idle) {
  draining_ = true;
  if (slots_.used() == 0) return idle();
  idle_ = std::move(idle);
}

}  // namespace patchbay::webhooks

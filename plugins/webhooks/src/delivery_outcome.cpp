#include "delivery_outcome.h"

#include <utility>

#include "retry_schedule.h"
#include "webhook_limits.h"

namespace patchbay::webhooks {

Verdict judge(const Attempt& attempt) {
  if (attempt.outcome.delivered) return {DeliveryState::delivered};
  const auto next_ms = next_attempt_ms(static_cast<int>(attempt.number), attempt.due_ms, attempt.started_ms);
  if (!next_ms) return {DeliveryState::failed};
  return {DeliveryState::pending, *next_ms};
}

OutcomeRecorder::OutcomeRecorder(const Host& host, const Log& log, SubscriptionRegistry& registry,
                                 Function<void(const Attempt&)> recorded)
    : host_(host),
      log_(log),
      registry_(registry),
      recorded_(std::move(recorded)),
      retry_(Statement::find(host, "delivery-retry")),
      end_(Statement::find(host, "delivery-end")),
      succeeded_(Statement::find(host, "subscription-succeeded")),
      failed_(Statement::find(host, "subscription-failed")),
      revision_raise_(Statement::find(host, "revision_raise")),
      delivered_(Metric::counter(host, "patchbay_webhooks_delivered", "Deliveries that a receiver accepted")),
      attempts_failed_(Metric::counter(host, "patchbay_webhooks_attempts_failed", "Attempts that failed")),
      deliveries_failed_(Metric::counter(host, "patchbay_webhooks_deliveries_failed",
                                         "Deliveries that failed in 4 attempts")),
      paused_(Metric::counter(host, "patchbay_webhooks_paused", "Subscriptions paused after 20 failures")),
      timer_(host),
      interval_(host) {}

void OutcomeRecorder::report(const Attempt& attempt) {
  if (attempt.outcome.delivered) return;
  attempts_failed_.add();
  log_.info("a delivery failed", {{"subscription", attempt.subscription},
                                  {"delivery", attempt.delivery},
                                  {"event", attempt.topic},
                                  {"attempt", attempt.number},
                                  {"why", attempt.outcome.error}});
}

void OutcomeRecorder::record(Attempt attempt) {
  const DeliveryState state = judge(attempt).state;
  if (state != DeliveryState::pending) return record_end(std::move(attempt), state);
  retries_.push_back(std::move(attempt));
  if (!interval_.armed()) record_retries();
}

// No expected changes: a delivery that was deleted or expired meanwhile must not hold up the others.
void OutcomeRecorder::record_retries() {
  if (retries_.empty()) return;
  interval_.after_ms(kRetryRecordIntervalMs, [this] { record_retries(); });
  Transaction tx(host_);
  for (const Attempt& each : retries_)
    tx.exec(retry_, {each.delivery, each.number, judge(each).next_attempt_ms, each.outcome.status,
                     each.outcome.error});
  std::move(tx).commit(alive_.bind([this, batch = std::exchange(retries_, {})](const Commit& done) mutable {
    for (Attempt& each : batch) {
      if (!done)
        retry_later(std::move(each), done.error());
      else
        recorded_(each);
    }
  }));
}

void OutcomeRecorder::record_end(Attempt attempt, DeliveryState state) {
  const Outcome& outcome = attempt.outcome;
  const char* name = state == DeliveryState::delivered ? "delivered" : "failed";
  Transaction tx(host_);
  tx.exec(end_, {attempt.delivery, name, attempt.number, outcome.status, outcome.error, host_.wall_ms()}, 1);
  if (state == DeliveryState::delivered)
    tx.exec(succeeded_, {attempt.subscription, host_.wall_ms()});
  else
    tx.exec(failed_, {attempt.subscription, kFailuresToPause});
  std::move(tx).commit(alive_.bind([this, attempt = std::move(attempt)](const Commit& committed) mutable {
    // Conflict: the delivery was deleted or expired meanwhile.
    if (!committed && committed.code() != Code::conflict)
      return retry_later(std::move(attempt), committed.error());
    if (committed) apply_to_subscription(attempt, committed);
    recorded_(attempt);
  }));
}

void OutcomeRecorder::retry_later(Attempt attempt, const Error& why) {
  if (unrecorded_.empty())
    log_.warn("an attempt cannot be recorded", {{"delivery", attempt.delivery}, {"why", why.text}});
  unrecorded_.push_back(std::move(attempt));
  if (timer_.armed()) return;
  timer_.after_ms(kStoreRetryMs, [this] {
    std::vector<Attempt> list = std::exchange(unrecorded_, {});
    for (Attempt& one : list) record(std::move(one));
  });
}

void OutcomeRecorder::apply_to_subscription(const Attempt& attempt, const Commit& committed) {
  Subscription* subscription = registry_.find(attempt.subscription);
  const DeliveryState state = judge(attempt).state;
  if (state == DeliveryState::delivered) {
    delivered_.add();
    if (subscription == nullptr) return;
    subscription->failures = 0;
    subscription->last_fired_ms = host_.wall_ms();
    return;
  }
  deliveries_failed_.add();
  const Rows counted = committed.result(1);
  if (subscription == nullptr || counted.empty()) return;
  subscription->failures = counted.integer(0, 0);
  const bool was_active = std::exchange(subscription->active, counted.integer(0, 1) != 0);
  if (was_active && !subscription->active) report_pause(*subscription);
}

// Other servers read the subscription again, too.
void OutcomeRecorder::report_pause(const Subscription& subscription) {
  paused_.add();
  Transaction tx(host_);
  tx.exec(revision_raise_, {"subscriptions"});
  std::move(tx).commit([](const Commit&) {});
  log_.warn("a subscription is paused: too many deliveries in a row failed",
            {{"subscription", subscription.id},
             {"tenant", subscription.tenant},
             {"failures", subscription.failures}});
}

}  // namespace patchbay::webhooks

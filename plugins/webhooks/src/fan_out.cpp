#include "fan_out.h"

#include <patchbay/json.h>
#include <patchbay/random_id.h>

#include "delivery_request.h"
#include "event_catalogue.h"
#include "subscription_json.h"
#include "webhook_limits.h"

namespace patchbay::webhooks {

FanOut::FanOut(const Host& host, const Log& log, const EventCatalogue& catalogue,
               SubscriptionRegistry& registry, Added added, Quick quick, Logged logged)
    : host_(host),
      log_(log),
      catalogue_(catalogue),
      registry_(registry),
      added_(std::move(added)),
      quick_(std::move(quick)),
      logged_(std::move(logged)),
      body_add_(Statement::find(host, "body-add")),
      delivery_add_(Statement::find(host, "delivery-add")),
      dropped_(Metric::counter(host, "patchbay_webhooks_events_dropped",
                               "Events that were not delivered because their payload is no JSON object")),
      retry_timer_(host),
      others_timer_(host),
      trail_(host) {}

void FanOut::start() {
  const std::string patterns = catalogue_.patterns();
  if (patterns.empty()) return;
  consumer_ = std::make_unique<Consumer>(host_, "webhooks", patterns, [this] { read(); });
}

void FanOut::read() {
  if (busy_) {
    woken_ = true;
    return;
  }
  busy_ = true;
  woken_ = false;
  consumer_->pending(kMaxEventsPerBatch, alive_.bind([this](const Result<std::vector<Event>>& events) {
    if (!events) log_.warn("the event log cannot be read", {{"why", events.error().text}});
    if (events && !events->empty()) return store(*events);
    busy_ = false;
    if (!events) return retry_timer_.after_ms(kStoreRetryMs, [this] { read(); });
    if (woken_) read();
  }));
}

// Deliveries to quick receivers are committed before the others, which may be many, and get a head start, so
// that storing and sending the others does not delay them. The events are acknowledged in the last commit:
// after a crash before it they are read again, and deliveries that are stored are ignored.
void FanOut::store(const std::vector<Event>& events) {
  Batch quick(host_), others(host_);
  std::vector<int64_t> ids;
  size_t bytes = 0;
  for (const Event& event : events) {
    logged_(event.tenant());
    bytes += add(event, quick, others);
    ids.push_back(event.id());
    if (bytes > kMaxBatchBytes) break;  // the others are read again
  }
  Batch& last = others.subscriptions.empty() ? quick : others;
  for (const int64_t id : ids) last.tx.ack("webhooks", id);
  auto commit_last = [this](Batch batch) {
    commit(std::move(batch), [this] {
      busy_ = false;
      read();  // until no event is pending
    });
  };
  if (&last == &quick || quick.subscriptions.empty()) return commit_last(std::move(last));
  commit(std::move(quick), [this, commit_last, others = std::move(others)]() mutable {
    others_timer_.after_ms(kQuickHeadStartMs, [commit_last, others = std::move(others)]() mutable {
      commit_last(std::move(others));
    });
  });
}

void FanOut::commit(Batch batch, Function<void()> next) {
  std::move(batch.tx).commit(alive_.bind(
      [this, added = std::move(batch.subscriptions), next = std::move(next)](const Commit& outcome) {
        if (outcome) {
          for (const std::string& subscription : added) added_(subscription);
          return next();
        }
        busy_ = false;
        log_.warn("deliveries cannot be stored", {{"why", outcome.error().text}});
        retry_timer_.after_ms(kStoreRetryMs, [this] { read(); });
      }));
}

size_t FanOut::add(const Event& event, Batch& quick, Batch& others) {
  const std::string key = std::to_string(event.id());
  std::string body;
  size_t bytes = 0;
  for (const Subscription* subscription : registry_.of_tenant(event.tenant())) {
    if (!subscription->wants(event.topic())) continue;
    if (body.empty()) {
      if (!check_payload(event)) return 0;
      body = envelope(event.topic(), event.tenant(), event.time_ms(), event.payload());
    }
    Batch& batch = quick_(subscription->id) ? quick : others;
    if (batch.bodies.insert(event.id()).second) {
      batch.tx.exec(body_add_, {key, body, event.time_ms()});
      bytes += body.size();
    }
    add_delivery(batch.tx, *subscription, event, key);
    batch.subscriptions.insert(subscription->id);
    bytes += kDeliveryBytes;
  }
  return bytes;
}

// Accepts only a JSON object, because other text could add members to the signed body.
bool FanOut::check_payload(const Event& event) const {
  const std::string_view payload = event.payload();
  if (payload.empty()) return true;  // the envelope has {}
  const auto parsed = host_.parse_json(payload);
  if (parsed && parsed->root().is_object()) return true;
  dropped_.add();
  log_.error("an event is not delivered, because its payload is no JSON object",
             {{"event", event.topic()},
              {"plugin", catalogue_.emitter(event.topic())},
              {"tenant", event.tenant()},
              {"why", parsed ? "it is another JSON value" : parsed.error().text}});
  return false;
}

void FanOut::add_delivery(Transaction& tx, const Subscription& subscription, const Event& event,
                          const std::string& key) {
  const Secret* secret = subscription.secret_at(event.time_ms());
  tx.exec(delivery_add_,
          {delivery_id(key, subscription.id), subscription.id, key, event.id(), event.topic(),
           event.subject(), event.time_ms(), secret != nullptr ? secret->rev : 0, subscription.tenant});
}

void FanOut::test(const Subscription& subscription, audit::Record record,
                  Function<void(Result<std::string>)> done) {
  JsonWriter data;
  data.object()
      .member("subscriptionId", subscription.id)
      .member("message", "A test of this subscription")
      .member("requestedBy", record.actor)
      .end();
  const int64_t now_ms = host_.wall_ms();
  const auto random = random_id({}, 32);
  if (!random) return done(random.error());
  const std::string key = "test-" + *random;
  const std::string id = delivery_id(key, subscription.id);
  const Secret* secret = subscription.secret_at(now_ms);
  Transaction tx(host_);
  tx.exec(body_add_, {key, envelope(kTestTopic, subscription.tenant, now_ms, data.str()), now_ms}, 1);
  tx.exec(delivery_add_,
          {id, subscription.id, key, 0, kTestTopic, "", now_ms, secret != nullptr ? secret->rev : 0,
           subscription.tenant},
          1);
  record.after = audited_delivery(id);
  trail_.commit(
      std::move(tx), std::move(record),
      alive_.bind([this, id, subscription = subscription.id, done = std::move(done)](const Commit& outcome) {
        if (!outcome) return done(outcome.error());
        added_(subscription);
        done(id);
      }));
}

}  // namespace patchbay::webhooks

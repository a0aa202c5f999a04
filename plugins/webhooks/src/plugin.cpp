#include <patchbay/plugin.h>

#include <memory>
#include <string_view>

#include "backlog_metrics.h"
#include "delivery_queue.h"
#include "delivery_routes.h"
#include "event_catalogue.h"
#include "event_log_reader.h"
#include "event_log_routes.h"
#include "event_streams.h"
#include "fan_out.h"
#include "http_sender.h"
#include "read_settings.h"
#include "retention.h"
#include "subscription_routes.h"
#include "subscription_store.h"

namespace {

using namespace patchbay;            // NOLINT(google-build-using-namespace)
using namespace patchbay::webhooks;  // NOLINT(google-build-using-namespace)

class Webhooks final : public Plugin {
  Status start(const Config& config) override {
    PB_TRY_VALUE(settings_, read(config));
    parts_ = std::make_unique<Parts>(host(), log());
    configure();
    return {};
  }

  void finish_start(Done done) override {
    parts_->store.load([this, shared = std::make_shared<Done>(std::move(done))](const Status& status) {
      if (!status) return (*shared)(status);
      reconcile([this, shared] {
        start_parts();
        (*shared)();
      });
    });
  }

  Status check_config(const Config& config) override {
    auto settings = read(config);
    return settings ? Status() : Status(settings.error());
  }

  void reconfigure(const Config& config) override {
    auto settings = read(config);
    if (!settings) return;
    settings_ = *std::move(settings);
    configure();
    reconcile([] {});
  }

  void drain(Done done) override {
    parts_->queue.drain([done = std::make_shared<Done>(std::move(done))] { (*done)(); });
  }

  // Destroys the parts; what the sender's thread has posted is then ignored.
  void stop(Done done) override {
    parts_.reset();
    post(host(), kMainStrand, [done = std::move(done)]() mutable { done(); });
  }

  Result<Settings> read(const Config& config) const {
    return Settings::read(config, EventCatalogue::read(host()));
  }

  // Each uses those above it.
  struct Parts {
    Parts(const Host& host, const Log& log)
        : catalogue(EventCatalogue::read(host)),
          store(host, log, registry),
          queue(host, log, registry, sender),
          event_log(host, catalogue),
          event_streams(host, event_log),
          fan_out(
              host, log, catalogue, registry, [this](const std::string& id) { queue.wake(id); },
              [this](const std::string& id) { return queue.is_quick(id); },
              [this](std::string_view tenant) { event_streams.wake(tenant); }),
          retention(host, log),
          backlog(host, registry),
          subscription_routes(host, log, catalogue, registry, store, queue),
          delivery_routes(host, registry, fan_out, queue),
          event_log_routes(host, catalogue, event_log, event_streams) {}
    const EventCatalogue catalogue;
    SubscriptionRegistry registry;
    HttpSender sender;
    SubscriptionStore store;
    DeliveryQueue queue;
    const EventLogReader event_log;
    EventStreams event_streams;
    FanOut fan_out;
    Retention retention;
    BacklogMetrics backlog;
    SubscriptionRoutes subscription_routes;
    DeliveryRoutes delivery_routes;
    EventLogRoutes event_log_routes;
  };

  void configure() {
    parts_->queue.configure(settings_);
    parts_->subscription_routes.configure(settings_);
    parts_->retention.configure(settings_.keep_ms);
    parts_->event_streams.configure(settings_);
  }

  void reconcile(Function<void()> done) {
    parts_->store.reconcile(settings_.definitions, [this, done = std::move(done)](const Status& status) {
      if (!status)
        log().error("configured subscriptions could not be applied", {{"why", status.error().text}});
      for (const webhooks::Subscription* subscription : parts_->registry.all()) {
        warn_not_emitted(*subscription);
        parts_->queue.wake(subscription->id);
      }
      done();
    });
  }

  void warn_not_emitted(const webhooks::Subscription& subscription) {
    std::string missing;
    for (const std::string_view event : parts_->catalogue.not_emitted(subscription.events))
      missing.append(missing.empty() ? "" : " ").append(event);
    if (!missing.empty())
      log().warn("a subscription names events that no plugin emits",
                 {{"subscription", subscription.id}, {"tenant", subscription.tenant}, {"events", missing}});
  }

  // After the subscriptions were loaded, because events must find them.
  void start_parts() {
    if (const std::string& plugin = parts_->catalogue.test_emitter(); !plugin.empty())
      log().warn("a plugin's event has the reserved name webhook.test and is not delivered",
                 {{"plugin", plugin}});
    parts_->store.watch([this] {
      for (const webhooks::Subscription* subscription : parts_->registry.all())
        parts_->queue.wake(subscription->id);
    });
    parts_->queue.start();
    parts_->fan_out.start();
    parts_->retention.start();
    parts_->backlog.start();
    parts_->subscription_routes.start();
    parts_->delivery_routes.start();
    parts_->event_log_routes.start();
  }

  Settings settings_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace

PATCHBAY_PLUGIN(Webhooks)

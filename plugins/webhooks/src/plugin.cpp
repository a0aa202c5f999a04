#include <patchbay/plugin.h>

#include <memory>

#include "backlog_metrics.h"
#include "config.h"
#include "dispatcher.h"
#include "event_catalogue.h"
#include "fan_out.h"
#include "list_routes.h"
#include "retention.h"
#include "routes.h"
#include "sender.h"
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
        open();
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
    parts_->dispatcher.drain([done = std::make_shared<Done>(std::move(done))] { (*done)(); });
  }

  // What the sender's thread has posted by now finds its owner gone.
  void stop(Done done) override {
    parts_.reset();
    post(host(), kMainStrand, [done = std::move(done)]() mutable { done(); });
  }

  Result<Settings> read(const Config& config) const {
    return Settings::read(config, EventCatalogue::read(host()));
  }

  // In the order in which they need each other.
  struct Parts {
    Parts(const Host& host, const Log& log)
        : catalogue(EventCatalogue::read(host)),
          store(host, log, registry),
          dispatcher(host, log, registry, sender),
          fan_out(host, log, catalogue, registry, [this](const std::string& id) { dispatcher.wake(id); }),
          retention(host, log),
          backlog(host, registry),
          admin(host, log, catalogue, registry, store, fan_out, dispatcher),
          routes(host) {
      add_list_routes(routes, registry, catalogue);
      admin.add_to(routes);
    }
    const EventCatalogue catalogue;
    Registry registry;
    Sender sender;
    SubscriptionStore store;
    Dispatcher dispatcher;
    FanOut fan_out;
    Retention retention;
    Backlog backlog;
    AdminRoutes admin;
    http::Routes routes;
  };

  void configure() {
    parts_->dispatcher.configure(settings_);
    parts_->admin.configure(settings_);
    parts_->retention.configure(settings_.keep_ms);
  }

  void reconcile(Function<void()> done) {
    parts_->store.reconcile(settings_.definitions, [this, done = std::move(done)](const Status& status) {
      if (!status)
        log().error("configured subscriptions cannot be taken over", {{"why", status.error().text}});
      for (const Subscription* subscription : parts_->registry.all()) {
        warn_of_silence(*subscription);
        parts_->dispatcher.wake(subscription->id);
      }
      done();
    });
  }

  void warn_of_silence(const Subscription& subscription) {
    std::string missing;
    for (const std::string_view event : parts_->catalogue.not_emitted(subscription.events))
      missing.append(missing.empty() ? "" : " ").append(event);
    if (!missing.empty())
      log().warn("a subscription names events that no plugin emits",
                 {{"subscription", subscription.id}, {"tenant", subscription.tenant}, {"events", missing}});
  }

  // Only now: an event must find the subscriptions.
  void open() {
    parts_->dispatcher.open();
    parts_->fan_out.open();
    parts_->retention.open();
    parts_->backlog.open();
    parts_->routes.open();
  }

  Settings settings_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace

PATCHBAY_PLUGIN(Webhooks)

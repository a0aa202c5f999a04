// The REST endpoints of subscriptions and their deliveries. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/store.h>

#include <string>

#include "read_settings.h"
#include "delivery_queue.h"
#include "fan_out.h"
#include "read_settings.h"
#include "subscription_store.h"

namespace patchbay::webhooks {

class SubscriptionRoutes {
 public:
  SubscriptionRoutes(const Host& host, const Log& log, const EventCatalogue& catalogue,
                     SubscriptionRegistry& registry, SubscriptionStore& store, FanOut& fan_out,
                     DeliveryQueue& dispatcher);

  void configure(const Settings& settings) { settings_ = settings; }
  // Registers the routes.
  void start();

 private:
  using Answer = Reply<http::Response>;

  void add_routes();
  Result<http::Response> list(const http::Request& request) const;
  void create(const http::Request& request, Answer answer);
  void change(const http::Request& request, Answer answer);
  void remove(const http::Request& request, Answer answer);
  void rotate(const http::Request& request, Answer answer);
  void test(const http::Request& request, Answer answer);
  void deliveries(const http::Request& request, Answer answer);
  void deliveries_page(const std::string& id, const http::Request& request, int64_t total, Answer answer);
  void resend(const http::Request& request, Answer answer);

  // The subscription {id} of the bearer's tenant; null: not found.
  Subscription* find(const http::Request& request);

  // borrowed
  const Host& host_;
  const Log& log_;
  const EventCatalogue& catalogue_;
  SubscriptionRegistry& registry_;
  SubscriptionStore& store_;
  FanOut& fan_out_;
  DeliveryQueue& dispatcher_;
  // owned
  const Statement count_, list_, resend_;
  http::Routes routes_;
  Lifetime alive_;
  // state
  Settings settings_;
};

}  // namespace patchbay::webhooks

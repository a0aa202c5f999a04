// The REST endpoints of subscriptions; delivery_routes.h has those of their deliveries. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/http_routes.h>

#include <set>
#include <string>

#include "delivery_queue.h"
#include "read_settings.h"
#include "subscription_store.h"

namespace patchbay::webhooks {

// A route below /api.ashx/v1/admin/webhooks.
http::Route webhook_route(const char* method, std::string_view tail, const char* summary);
// The 404 of an {id} that the tenant does not have.
http::Response no_such_subscription();

class SubscriptionRoutes {
 public:
  SubscriptionRoutes(const Host& host, const Log& log, const EventCatalogue& catalogue,
                     SubscriptionRegistry& registry, SubscriptionStore& store, DeliveryQueue& queue);

  void configure(const Settings& settings) { settings_ = settings; }
  // Registers the routes.
  void start();

 private:
  using Reply = patchbay::Reply<http::Response>;
  using Handle = void (SubscriptionRoutes::*)(const http::Request&, Reply);

  void add_routes();
  // Calls the handler of a route that reads URLs, once libcurl is loaded.
  void take(const http::Request& request, Reply reply, Handle handle);
  Result<http::Response> list(const http::Request& request) const;
  Result<http::Response> get(const http::Request& request);
  void create(const http::Request& request, Reply reply);
  void change(const http::Request& request, Reply reply);
  void remove(const http::Request& request, Reply reply);
  void rotate(const http::Request& request, Reply reply);

  // The subscription {id} of the bearer's tenant; null: not found.
  Subscription* find(const http::Request& request);

  // borrowed
  const Host& host_;
  const Log& log_;
  const EventCatalogue& catalogue_;
  SubscriptionRegistry& registry_;
  SubscriptionStore& store_;
  DeliveryQueue& queue_;
  // owned
  http::Routes routes_;
  Lifetime alive_;
  // state
  Settings settings_;
  bool curl_is_loaded_ = false;
  std::multiset<std::string> creating_;  // tenants, one per subscription that is being created
};

}  // namespace patchbay::webhooks

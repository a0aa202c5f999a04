// The REST endpoints that test a subscription, list its deliveries and resend one. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/store.h>

#include <string>

#include "delivery_queue.h"
#include "fan_out.h"
#include "page/page_cursor.h"
#include "subscription.h"

namespace patchbay::webhooks {

class DeliveryRoutes {
 public:
  DeliveryRoutes(const Host& host, SubscriptionRegistry& registry, FanOut& fan_out, DeliveryQueue& queue);

  // Registers the routes.
  void start() { routes_.open(); }

 private:
  using Reply = patchbay::Reply<http::Response>;
  using Handle = void (DeliveryRoutes::*)(const http::Request&, Reply);

  void add(http::Route route, std::string reply_schema, Handle handle);
  void test(const http::Request& request, Reply reply);
  void list(const http::Request& request, Reply reply);
  void list_page(const std::string& id, const http::Request& request, const lib::PagePosition& after,
                 int64_t total, Reply reply);
  void resend(const http::Request& request, Reply reply);

  // The subscription {id} of the bearer's tenant; null: not found.
  Subscription* find(const http::Request& request);

  // borrowed
  const Host& host_;
  SubscriptionRegistry& registry_;
  FanOut& fan_out_;
  DeliveryQueue& queue_;
  // owned
  const Statement count_, list_, resend_;
  audit::Trail trail_;
  http::Routes routes_;
  Lifetime alive_;
};

}  // namespace patchbay::webhooks

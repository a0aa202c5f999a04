// Subscriptions and deliveries as the API shows them. Pure functions.
#pragma once

#include <patchbay/json.h>
#include <patchbay/store.h>

#include <string>

#include "event_catalogue.h"
#include "subscription.h"

namespace patchbay::webhooks {

// The item of the list; the secret is not in it.
void write_subscription(JsonWriter& out, const Subscription& subscription, const EventCatalogue& catalogue);

// `secret`: shown once; "" leaves the member out.
std::string subscription_json(const Subscription& subscription, const EventCatalogue& catalogue,
                              const std::string& secret = {});

// Row `row` of the statement deliveries-list.
void write_delivery(JsonWriter& out, const Rows& rows, size_t row);

}  // namespace patchbay::webhooks

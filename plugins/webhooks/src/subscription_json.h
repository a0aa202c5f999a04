// Writes subscriptions and deliveries as JSON for the API. Pure functions.
#pragma once

#include <patchbay/json.h>
#include <patchbay/store.h>

#include <string>

#include "event_catalogue.h"
#include "subscription.h"

namespace patchbay::webhooks {

// Without the secret.
void write_subscription(JsonWriter& out, const Subscription& subscription, const EventCatalogue& catalogue);

// `secret` "": without the member.
std::string subscription_json(const Subscription& subscription, const EventCatalogue& catalogue,
                              const std::string& secret = {});

// Row `row` of the statement deliveries-list.
void write_delivery(JsonWriter& out, const Rows& rows, size_t row);

}  // namespace patchbay::webhooks

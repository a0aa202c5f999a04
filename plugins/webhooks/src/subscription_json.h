// Writes subscriptions and deliveries as JSON for the API. Pure functions.
#pragma once

#include <patchbay/json.h>
#include <patchbay/store.h>

#include <string>
#include <vector>

#include "event_catalogue.h"
#include "page/page_cursor.h"
#include "subscription.h"

namespace patchbay::webhooks {

// Without the secret.
void write_subscription(JsonWriter& out, const Subscription& subscription, const EventCatalogue& catalogue);

// `secret` "": without the member.
std::string subscription_json(const Subscription& subscription, const EventCatalogue& catalogue,
                              const std::string& secret = {});

// What the audit log stores of a subscription: without its secret, and of the URL, whose path and query may
// be secret, the receiver only. Needs libcurl.
std::string audited_subscription(const std::string& url, const std::vector<std::string>& events, bool active);

// The same of a delivery that a user requested.
std::string audited_delivery(const std::string& id);

// Row `row` of the statement deliveries-list.
void write_delivery(JsonWriter& out, const Rows& rows, size_t row);
// Its position in that list.
lib::PagePosition delivery_position(const Rows& rows, size_t row);

}  // namespace patchbay::webhooks

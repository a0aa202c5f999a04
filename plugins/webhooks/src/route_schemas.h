// JSON Schemas of the bodies of routes.h.
#pragma once

#include <string>

#include "event_catalogue.h"

namespace patchbay::webhooks {

std::string create_schema(const EventCatalogue& catalogue);
std::string change_schema(const EventCatalogue& catalogue);
std::string secret_schema();

// Of responses: a subscription, with or without its secret; a delivery.
std::string subscription_schema(bool with_secret = false);
std::string deleted_schema();
std::string delivery_schema();
std::string sent_schema();

// Of GET /events: its parameters and its page.
std::string event_query_schema(const EventCatalogue& catalogue);
std::string event_page_schema();

}  // namespace patchbay::webhooks

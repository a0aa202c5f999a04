// GET /api.ashx/v1/webhooks. On the main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include "event_catalogue.h"
#include "subscription.h"

namespace patchbay::webhooks {

// Both are borrowed.
void add_list_routes(http::Routes& routes, Registry& registry, const EventCatalogue& catalogue);

}  // namespace patchbay::webhooks

// GET /api.ashx/v1/webhooks. On the main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include "subscription.h"

namespace patchbay::webhooks {

void add_list_routes(http::Routes& routes, Registry& registry);

}  // namespace patchbay::webhooks

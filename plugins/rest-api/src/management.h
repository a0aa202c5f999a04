// /healthz, /readyz and /metrics on the management port; /local/metrics and /local/plugins on the admin
// socket.
#pragma once

#include <functional>

#include "route_registry.h"

namespace patchbay::rest_api {

// `before_metrics` runs before the metrics are read.
Status add_management_routes(RouteRegistry& registry, const Host& host, std::function<void()> before_metrics);

}  // namespace patchbay::rest_api

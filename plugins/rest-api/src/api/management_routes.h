// /healthz, /readyz and /metrics on the management port; /local/metrics and /local/plugins on the admin
// socket.
#pragma once

#include <functional>
#include <string>

#include "route_registry.h"

namespace patchbay::rest_api {

// Calls `before_metrics` before the metrics are read. /readyz shows `socket_error` unless it is "".
Status add_management_routes(RouteRegistry& registry, const Host& host, std::function<void()> before_metrics,
                             const std::string& socket_error);

}  // namespace patchbay::rest_api

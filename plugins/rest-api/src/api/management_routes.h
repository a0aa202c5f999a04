// /healthz, /readyz and /metrics on the management port; /local/metrics and /local/plugins on the admin
// socket.
#pragma once

#include <functional>
#include <string>

#include "route_registry.h"

namespace patchbay::rest_api {

// `before_metrics` runs before the metrics are read; /readyz shows `socket_trouble` unless it is "".
Status add_management_routes(RouteRegistry& registry, const Host& host, std::function<void()> before_metrics,
                             const std::string& socket_trouble);

}  // namespace patchbay::rest_api

// GET /api.ashx/v1: lists the endpoints, without authentication.
#pragma once

#include "route_registry.h"

namespace patchbay::rest_api {

Status add_service_root(RouteRegistry& registry);

}  // namespace patchbay::rest_api

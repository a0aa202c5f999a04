// /openapi.json and /.well-known/openapi.json: OpenAPI 3.1, written from the registered routes.
#pragma once

#include "route_registry.h"

namespace patchbay::rest_api {

Status add_openapi(RouteRegistry& registry, const Host& host);

}  // namespace patchbay::rest_api

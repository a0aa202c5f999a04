// The parameters of an operation: of the path, the query and headers.
#pragma once

#include "openapi_routes.h"

namespace patchbay::rest_api::openapi {

// Writes the member "parameters" of the current object.
void write_parameters(JsonWriter& out, const Host& host, const Routes& routes);

}  // namespace patchbay::rest_api::openapi

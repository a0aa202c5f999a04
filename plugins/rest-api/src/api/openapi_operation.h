// One operation of /openapi.json.
#pragma once

#include "openapi_routes.h"

namespace patchbay::rest_api::openapi {

// Writes the operation as a value.
void write_operation(JsonWriter& out, const Host& host, const Routes& routes);

}  // namespace patchbay::rest_api::openapi

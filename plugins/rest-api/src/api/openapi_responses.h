// The responses of an operation.
#pragma once

#include <string>

#include "openapi_routes.h"

namespace patchbay::rest_api::openapi {

// Writes the member "responses" of the current object.
void write_responses(JsonWriter& out, const Host& host, const Routes& routes);

// The responses that operations refer to, as a JSON object.
std::string shared_responses();

}  // namespace patchbay::rest_api::openapi

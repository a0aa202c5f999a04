// The JSON Schema of a body as /openapi.json shows it.
#pragma once

#include <patchbay/host.h>

#include <string>

namespace patchbay::rest_api {

// Returns the schema with null among the types of members that may be left out, because a null that a schema
// does not name counts as absent.
std::string nullable_schema(const Host& host, JsonView schema);

}  // namespace patchbay::rest_api

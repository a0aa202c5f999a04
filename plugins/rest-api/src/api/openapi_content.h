// The bodies of an operation: schemas and examples of requests and replies, and of errors.
#pragma once

#include <string>
#include <string_view>

#include "openapi_routes.h"

namespace patchbay::rest_api::openapi {

// The JSON Schema of a request's body; "": it has none.
std::string request_schema(const Host& host, const http::Route& route);

// Writes the member "content" of the current object, with the schemas and examples of the routes' request or
// reply, per `member`; several schemas as anyOf.
void write_content(JsonWriter& out, const Host& host, const Routes& routes, std::string_view member);
// The same for an error. `kind`: "" or "Message"; `other_types` are texts that may be sent instead.
void write_error_content(JsonWriter& out, const std::string& kind, JsonView other_types = {});

}  // namespace patchbay::rest_api::openapi

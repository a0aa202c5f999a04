// Parses the body of POST /v1/calls, with the checks that a schema cannot express. Pure; any thread.
#pragma once

#include <patchbay/json.h>

#include "outbound/call.h"
#include "read_settings.h"

namespace patchbay::ai_voice {

// Returns the JSON Schema of the body.
std::string create_schema();

// `body` has passed the schema and has its defaults. Returns a call without id, tenant and requester;
// scheduled_ms is 0 for a call to dial at once. The API key may be "", because only the engine knows whether
// it needs one. Error invalid names the field.
Result<Call> parse_create_request(JsonView body, const TenantSettings& settings, int64_t now_ms);

}  // namespace patchbay::ai_voice

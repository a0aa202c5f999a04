// The body of POST /v1/calls, judged beyond its schema. Pure; any thread.
#pragma once

#include <patchbay/json.h>

#include "config.h"
#include "outbound/call.h"

namespace patchbay::ai_voice {

// JSON Schema of the body.
std::string create_schema();

// `body` as the schema makes it, with its defaults. A call without id, tenant and requester; scheduled_ms is
// 0 for one that dials at once. Error invalid: names the field. Whether an api key is needed is the engine's
// to say, so it may be empty here.
Result<Call> read_create(JsonView body, const TenantSettings& settings, int64_t now_ms);

}  // namespace patchbay::ai_voice

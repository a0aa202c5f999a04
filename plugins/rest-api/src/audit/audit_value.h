// The JSON before or after a change, as the audit log stores it. Pure function, any thread.
#pragma once

#include <patchbay/host.h>

#include <string>

namespace patchbay::rest_api {

// Returns the JSON in one line; {"omitted":true,"bytes":n} for one above kMaxAuditValueBytes. Callers leave
// secrets out; strings whose member is named like one (secret, password, token, key ...) are replaced
// nevertheless, so that a mistake of one plugin is not stored for a year. Error: `json` is no JSON.
Result<std::string> audit_value(const Host& host, const std::string& json);

}  // namespace patchbay::rest_api

// The format of error responses: bodies, WWW-Authenticate and Retry-After. Their texts are where each error
// is found.
#pragma once

#include <string_view>

#include "exchange.h"

namespace patchbay::rest_api {

// {"error": code, "error_description": description}, both escaped.
Response error_response(int status, std::string_view code, std::string_view description);
// {"error": text}, for routes with message_errors.
Response message_response(int status, std::string_view text);
// The body is {"error": description} with `message_errors`. 401 has WWW-Authenticate, 429 and 503
// Retry-After.
Response refusal_response(const Refusal& refusal, bool message_errors);

}  // namespace patchbay::rest_api

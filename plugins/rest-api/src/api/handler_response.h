// Maps refusals, errors and responses of handlers to responses of the HTTP server.
#pragma once

#include <patchbay/services/http.h>

#include "http/exchange.h"

namespace patchbay::rest_api {

// The body is {error: description} for routes with message_errors, else {error, error_description}. 401 has
// WWW-Authenticate, 429 and 503 have Retry-After.
Response refusal_response(const Refusal& refusal, const http::Route& route);

// The refusal that the client gets when a handler fails; without the error's text.
Refusal refusal_for(const Error& error);

// Error: a status or a header that cannot be written (http::check_response()).
Result<Response> server_response(http::Response answer);

}  // namespace patchbay::rest_api

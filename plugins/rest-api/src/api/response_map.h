// Answers: from what plugins say to what the edge sends.
#pragma once

#include <patchbay/services/http.h>

#include "http/exchange.h"

namespace patchbay::rest_api {

// The body is {error: description} where the route asks for that, else {error, error_description}; 401 says
// how to authenticate, 429 and 503 when to come again.
Response refuse(const Refusal& refusal, const http::Route& route);

// What a handler's failure looks like from outside.
Refusal refusal_of_failure(const Error& error);

// Error: a status or a header that cannot be written (http::check_response).
Result<Response> response_of(http::Response answer);

}  // namespace patchbay::rest_api

// Makes the response of the HTTP server from what a handler returns, a response or an error.
#pragma once

#include <patchbay/services/http.h>

#include "http/exchange.h"

namespace patchbay::rest_api {

// The refusal that the client gets when a handler fails; without the error's text.
Refusal refusal_for(const Error& error);

// Error: a status or a header that cannot be written (http::check_response()).
Result<Response> server_response(http::Response answer);

}  // namespace patchbay::rest_api

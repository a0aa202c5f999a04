// The error bodies of the API.
#pragma once

#include <string_view>

#include "exchange.h"

namespace patchbay::rest_api {

// {"error": code, "error_description": description}, both escaped.
Response error_response(int status, std::string_view code, std::string_view description);
// {"error": text}, for routes with message_errors.
Response message_response(int status, std::string_view text);

}  // namespace patchbay::rest_api

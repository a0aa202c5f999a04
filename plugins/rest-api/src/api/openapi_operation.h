// One operation of the OpenAPI document: the routes that share method and path.
#pragma once

#include <patchbay/host.h>
#include <patchbay/services/http.h>

#include <string>
#include <vector>

namespace patchbay::rest_api {

// `routes` has at least one; several are told apart by their discriminators.
void write_operation(JsonWriter& out, const Host& host, const std::vector<const http::Route*>& routes);

// The security schemes that routes bring along, as members of the object being written.
void write_security_schemes(JsonWriter& out, const Host& host, const std::vector<const http::Route*>& routes);

// The responses that operations refer to, as a JSON object.
std::string shared_responses();

}  // namespace patchbay::rest_api

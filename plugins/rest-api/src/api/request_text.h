// The parts of a request as the JSON texts that handlers get.
#pragma once

#include <string>
#include <vector>

#include "http/exchange.h"

namespace patchbay::rest_api {

// {"name": "value", ...}
std::string object_text(const NamedValues& values);

// Names in lower case; what came several times is joined by commas (RFC 9110 5.3). Octets that are no UTF-8
// are read as Latin-1.
std::string headers_text(const std::vector<Field>& fields);

const char* surface_name(Surface surface) noexcept;

}  // namespace patchbay::rest_api

// The parts of a request as handlers get them.
#pragma once

#include <patchbay/name_values.h>

#include <vector>

#include "http/exchange.h"

namespace patchbay::rest_api {

NameValues name_values(const NamedValues& values);

// Names in lower case; what came several times is joined by commas (RFC 9110 5.3). Octets that are no UTF-8
// are read as Latin-1.
NameValues header_values(const std::vector<Field>& fields);

const char* surface_name(Surface surface) noexcept;

}  // namespace patchbay::rest_api

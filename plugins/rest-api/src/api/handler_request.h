// Maps the parts of a request to those that handlers get.
#pragma once

#include <patchbay/name_values.h>

#include <vector>

#include "http/exchange.h"

namespace patchbay::rest_api {

NameValues name_values(const StringPairs& values);

// Repeated fields are joined by commas (RFC 9110 5.3). Values that are not UTF-8 are read as Latin-1.
NameValues header_values(const std::vector<Field>& fields);

const char* listener_role_name(ListenerRole role) noexcept;

}  // namespace patchbay::rest_api

// Makes a handler's request from the HTTP server's.
#pragma once

#include <patchbay/name_values.h>

#include <vector>

#include "http/exchange.h"
#include "route_registry.h"

namespace patchbay::rest_api {

// Fills `request` but for what authorization and paging fill. The error, of the query, is for the client. The
// handler's plugin parses the body, once, by the route's schema.
Status read_request(const Host& host, const Exchange& exchange, const RouteEntry& entry,
                    http::Request& request);

NameValues name_values(const StringPairs& values);

// Repeated fields are joined by commas (RFC 9110 5.3). Values that are not UTF-8 are read as Latin-1.
NameValues header_values(const std::vector<Field>& fields);

}  // namespace patchbay::rest_api

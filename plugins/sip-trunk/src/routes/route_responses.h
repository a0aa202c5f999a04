// What the endpoints of outbound and inbound routes share: rows as JSON, refusals, pages. Pure; any thread.
#pragma once

#include <patchbay/services/http.h>

#include <cstdint>
#include <string>

#include "routes/route_row.h"

namespace patchbay::sip_trunk {

// Names of members: as in lists and rows that are read, or as the write responses of inbound routes show
// them.
enum class Names { camel, pascal };

// One row as an object. `rows` are all rows of the tenant, for its position.
void write_row(JsonWriter& out, const RouteRow& row, const RouteRows& rows, Names names = Names::camel);
std::string row_json(const RouteRow& row, const RouteRows& rows, Names names = Names::camel);
// {"deleted": <row>}
std::string deleted_json(const RouteRow& row, const RouteRows& rows, Names names = Names::camel);

// The JSON Schema of a row.
std::string row_schema(Domain domain, Names names = Names::camel);
std::string deleted_schema(Domain domain, Names names = Names::camel);

http::Response invalid(std::string_view text);
http::Response no_such_route();
http::Response read_only_route();
// `stored` has the same numbers, perhaps written otherwise.
http::Response duplicate_route(const RouteRow& stored);
http::Response too_many_routes(size_t limit);
http::Response created(std::string json);

// The page of a list; `siblings` are members beside data, each behind a comma.
http::Response page_of(const RouteRows& rows, const http::Request& request, const std::string& siblings = "");

// A route of one of the two resources. `tail` is "", or a parameter such as "/{match}".
http::Route route_of(Domain domain, const char* method, const char* tail, const char* summary);

}  // namespace patchbay::sip_trunk

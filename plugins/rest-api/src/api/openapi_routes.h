// What the parts of /openapi.json share: the routes of one operation, and their Route::documents.
#pragma once

#include <patchbay/json.h>
#include <patchbay/services/http.h>

#include <string_view>
#include <vector>

namespace patchbay::rest_api::openapi {

// Those of one method and path, which differ in their discriminators.
using Routes = std::vector<const http::Route*>;

// Route::documents; empty when the route has none.
class Documents {
 public:
  Documents(const Host& host, const http::Route& route)
      : json_(host.parse_json(route.documents.empty() ? "{}" : route.documents)) {}
  JsonView operator[](std::string_view member) const { return json_ ? (*json_)[member] : JsonView{}; }

 private:
  Result<Json> json_;
};

}  // namespace patchbay::rest_api::openapi

// Query parameters, checked by a route's query schema.
#pragma once

#include <patchbay/host.h>
#include <patchbay/name_values.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/request_target.h"

namespace patchbay::rest_api {

class QueryReader {
 public:
  // Without a schema: every parameter as a string.
  QueryReader() = default;
  // Error: what is wrong with the schema.
  static Result<QueryReader> compile(const Host& host, const std::string& schema);

  // Where the schema says integer, number or boolean, the text is read as one, and written back in JSON's
  // way. Errors name the parameter.
  Result<NameValues> read(const Host& host, const NamedValues& query) const;

 private:
  enum class Kind { integer, number, boolean };
  std::string literal(const Host& host, std::string_view name, const std::string& text) const;

  std::optional<Schema> schema_;
  std::vector<std::pair<std::string, Kind>> typed_;
};

}  // namespace patchbay::rest_api

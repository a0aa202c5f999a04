// Checks query parameters by a route's query schema.
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
  // Without a schema: accepts every parameter as text.
  QueryReader() = default;
  // Error: an invalid schema.
  static Result<QueryReader> compile(const Host& host, const std::string& schema);

  // Reads integers, numbers and booleans as the schema says and returns them as JSON writes them, with
  // defaults filled in. The error names the parameter. Remembers the result for the same query. One thread.
  Result<NameValues> read(const Host& host, const StringPairs& query) const;

 private:
  Result<NameValues> check(const Host& host, const StringPairs& query) const;

  enum class Kind { integer, number, boolean };
  const std::string& name_of(const std::string& written) const;
  std::string literal(const Host& host, std::string_view name, const std::string& text) const;

  std::optional<Schema> schema_;
  std::vector<std::string> names_;  // of the schema's properties
  std::vector<std::pair<std::string, Kind>> typed_;
  // The last valid query, because clients ask for the same again.
  struct Checked {
    StringPairs query;
    NameValues values;
  };
  mutable std::optional<Checked> last_;
};

}  // namespace patchbay::rest_api

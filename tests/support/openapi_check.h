// OpenApi: compares answers with an OpenAPI document. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "patchbay/result.h"

namespace patchbay::test {

// Returns the mismatches of `value` with `schema`, each with its path. Supports $ref into `document`, anyOf,
// type, enum, pattern, minimum, maximum, required, properties, additionalProperties and items. A member that
// is in neither properties nor additionalProperties is a mismatch, because it is undocumented.
std::vector<std::string> schema_faults(const core::json::Node& schema, const core::json::Node& value,
                                       const core::json::Node& document);

class OpenApi {
 public:
  static Result<OpenApi> parse(std::string_view text);

  // Returns the mismatches of an answer to `method` (upper case) at the documented `path`. Without any,
  // records the operation and status as covered.
  std::vector<std::string> faults(const std::string& method, const std::string& path, long status,
                                  const std::string& body);

  // The documented successes with JSON below the paths that are not covered yet: "POST /api.ashx/v1/calls
  // 200".
  std::vector<std::string> unseen(const std::vector<std::string>& paths) const;

 private:
  core::json::Document document_;
  std::set<std::string> seen_;
};

}  // namespace patchbay::test

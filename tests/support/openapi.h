// OpenApi: an OpenAPI document, and whether an answer is what it says. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "patchbay/result.h"

namespace patchbay::test {

// What is wrong with `value` by `schema`, each with its path; empty when it fits. Knows $ref into `document`,
// anyOf, type, enum, pattern, minimum, maximum, required, properties, additionalProperties and items. A
// member that neither properties nor additionalProperties speak of is wrong, too: it is not documented.
std::vector<std::string> schema_faults(const core::json::Node& schema, const core::json::Node& value,
                                       const core::json::Node& document);

class OpenApi {
 public:
  static Result<OpenApi> parse(std::string_view text);

  // Of an answer to `method`, in capitals, at the documented `path`. Notes the operation and its status as
  // seen when the answer fits.
  std::vector<std::string> faults(const std::string& method, const std::string& path, long status,
                                  const std::string& body);

  // "POST /api.ashx/v1/calls 200": every documented success below one of the paths that was not seen yet.
  std::vector<std::string> unseen(const std::vector<std::string>& paths) const;

 private:
  core::json::Document document_;
  std::set<std::string> seen_;
};

}  // namespace patchbay::test

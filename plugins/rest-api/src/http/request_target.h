// Decodes request targets: percent-escapes, path segments and queries. The one place that does, once per
// request.
#pragma once

#include <patchbay/result.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::rest_api {

using StringPairs = std::vector<std::pair<std::string, std::string>>;

// Decodes percent-escapes (RFC 3986 2.1) once. Error: a malformed escape, NUL, invalid UTF-8 (overlong forms,
// surrogates).
Result<std::string> decode_text(std::string_view raw, bool plus_is_space = false);

// Whether `written`, a name of a query parameter, means `name`: in any case.
bool is_name(std::string_view name, std::string_view written) noexcept;

// Decodes one path segment. Error: also "." and "..". A decoded "/" is part of the value.
Result<std::string> decode_segment(std::string_view raw);

struct Query {
  StringPairs values;          // in the order written; the valid ones, also when `error` is set
  std::optional<Error> error;  // of the first invalid or repeated key, or of too many parameters
};

// Parses "a=1&b=2", without the "?". `+` means a space, unless the client forgot to encode it: it is kept in
// front of the number in did, match, fromNumber and q, and in front of the zone in since, until and after.
Query parse_query(std::string_view raw);

}  // namespace patchbay::rest_api

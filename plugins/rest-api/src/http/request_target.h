// Request targets: percent-decoding, segments and queries. Everything the network wrote is decoded here,
// once.
#pragma once

#include <patchbay/result.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::rest_api {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

// RFC 3986 2.1, once. Refused: a broken triplet, NUL, what is no valid UTF-8 afterwards (overlong forms,
// surrogates).
Result<std::string> percent_decode(std::string_view raw, bool plus_is_space = false);

// Whether `written`, a name of a query parameter, means `name`: its first letter may be a capital, as in
// bodies.
bool is_name(std::string_view name, std::string_view written) noexcept;

bool is_valid_utf8(std::string_view text) noexcept;

// One raw path segment, decoded; "." and ".." are refused, a decoded "/" stays part of the value.
Result<std::string> decode_segment(std::string_view raw);

struct Query {
  NamedValues values;          // in the order written; the good ones, also when error is set
  std::optional<Error> error;  // the first bad or repeated key, in either case
};

// "a=1&b=2", without the "?". `+` means a space, and so a leading space in did, match and fromNumber is read
// as the
// `+` its writer forgot to encode.
Query parse_query(std::string_view raw);

}  // namespace patchbay::rest_api

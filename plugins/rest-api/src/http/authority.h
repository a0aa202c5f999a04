// Checks Host values and request targets by the grammar of RFC 3986.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::rest_api {

// Returns the host of "host", "host:port" or "[v6]:port" in lower case, without port and trailing dot.
// Nothing: not a valid authority, or one with userinfo.
std::optional<std::string> parse_authority(std::string_view authority);

// Whether it consists of pchar and "/". Percent escapes are checked when they are decoded.
bool is_path(std::string_view path) noexcept;
bool is_query(std::string_view query) noexcept;

}  // namespace patchbay::rest_api

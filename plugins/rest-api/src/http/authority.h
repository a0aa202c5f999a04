// Host values and request targets by the grammar of RFC 3986, as far as an origin server needs it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::rest_api {

// The host of "host", "host:port" or "[v6]:port": lower case, without brackets' port and without a trailing
// dot. Nothing for what is no valid authority; userinfo is refused.
std::optional<std::string> parse_authority(std::string_view authority);

// pchar and "/" only; `%` must not be judged here, decoding does that.
bool is_path(std::string_view path) noexcept;
bool is_query(std::string_view query) noexcept;

bool iequals(std::string_view a, std::string_view b) noexcept;
std::string to_lower(std::string_view text);

}  // namespace patchbay::rest_api

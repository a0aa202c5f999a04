// Formats and parses timestamps of the API (ISO 8601). Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay::lib {

// Formats "2026-11-20T06:36:52.007Z". `ms`: milliseconds since 1970, within the years 0 to 9999.
std::string utc_text(int64_t ms);

// Parses ISO 8601: "2026-11-20", or "2026-11-20T06:36" with optional seconds, fraction (truncated to
// milliseconds) and zone ("Z" or "+01:00", default UTC). Also accepts "t", "z" and a blank for "T". Returns
// nullopt for anything else, including dates that do not exist.
std::optional<int64_t> parse_utc(std::string_view text);

}  // namespace patchbay::lib

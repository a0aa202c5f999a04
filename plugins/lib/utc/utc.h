// Times as the API writes and reads them. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay::lib {

// "2026-11-20T06:36:52.007Z". `ms`: milliseconds since 1970, of the years 0 to 9999.
std::string utc_text(int64_t ms);

// ISO 8601: "2026-11-20", "2026-11-20T06:36", seconds, a fraction (cut to milliseconds) and "Z" or an offset
// "+01:00" as they come; no zone means UTC, "t", "z" and a blank for "T" are taken too. Nothing for anything
// else, dates that do not exist included.
std::optional<int64_t> parse_utc(std::string_view text);

}  // namespace patchbay::lib

// Checks for the formats that a schema may name: enough to catch mistakes, not full parsers.
#pragma once

#include <string_view>

namespace patchbay::core::json {

// scheme ":" and at least one more character; printable ASCII without spaces, quotes or angle brackets.
bool is_uri(std::string_view text) noexcept;

// 2026-11-20T06:30[:00[.123]][Z|+01:00], of a day that exists (29 February in any year).
bool is_date_time(std::string_view text) noexcept;

}  // namespace patchbay::core::json

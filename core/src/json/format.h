// The formats a schema may ask for, checked lightly: enough to catch mistakes, not a parser.
#pragma once

#include <string_view>

namespace patchbay::core::json {

// scheme ":" and something behind it, printable ASCII without spaces, quotes or angle brackets.
bool is_uri(std::string_view text) noexcept;

// 2026-11-20T06:30[:00[.123]][Z|+01:00], of a day that exists (29 February in any year).
bool is_date_time(std::string_view text) noexcept;

}  // namespace patchbay::core::json

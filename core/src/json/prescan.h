// Checks a text before RapidJSON reads it, for what RapidJSON accepts or handles wrongly.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace patchbay::core::json {

struct ScanFault {
  size_t offset;
  const char* text;
};

// Finds NUL, a byte order mark, over-long numbers, and exponents that overflow RapidJSON's arithmetic.
std::optional<ScanFault> prescan(std::string_view text) noexcept;

}  // namespace patchbay::core::json

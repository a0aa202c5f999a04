// What RapidJSON cannot be trusted to see for itself, looked for before it reads the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace patchbay::core::json {

struct ScanFault {
  size_t offset;
  const char* text;
};

// NUL, byte order mark, over-long numbers and exponents that overflow RapidJSON's arithmetic.
std::optional<ScanFault> prescan(std::string_view text) noexcept;

}  // namespace patchbay::core::json

// Strings and errors of the boundary, for the tables.
#pragma once

#include <patchbay/str.h>

namespace patchbay::core {

inline std::string_view view(pb_str text) noexcept { return from_abi(text); }
inline std::string string(pb_str text) { return std::string(from_abi(text)); }
inline pb_str text(std::string_view words) noexcept { return to_abi(words); }

// Copies the bytes into a buffer, which the plugin releases.
pb_buf* make_buffer(std::string_view bytes) noexcept;

}  // namespace patchbay::core

// Small UTF-8 helpers shared by the parser, the writer and the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::core::json {

// Decodes the code point at `at` and moves `at` behind it. An invalid byte gives kInvalid and is skipped
// alone.
constexpr uint32_t kInvalid = 0xFFFFFFFF;
uint32_t next_code_point(std::string_view text, size_t& at) noexcept;
size_t code_points(std::string_view text) noexcept;

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
// Lower-cases ASCII letters; other bytes stay as they are.
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The number of characters of a field's name that a message shows.
constexpr size_t kMaxNameInMessage = 40;
// Returns at most `max_characters` characters of `text` for a message: printable ASCII as it is, everything
// else as \xNN or \uNNNN, quotes escaped.
std::string printable(std::string_view text, size_t max_characters);

}  // namespace patchbay::core::json

// Small UTF-8 helpers shared by the parser, the writer and the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::core::json {

// The next code point of `text` from `at`, and `at` behind it. Invalid bytes give kInvalid, one byte at a
// time.
constexpr uint32_t kInvalid = 0xFFFFFFFF;
uint32_t next_code_point(std::string_view text, size_t& at) noexcept;
size_t code_points(std::string_view text) noexcept;

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
// Of ASCII letters; other bytes as they are.
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// How many characters of a field's name a message shows.
constexpr size_t kMaxNameInMessage = 40;
// At most `most` characters of `text` for a message: printable ASCII as it is, everything else as \xNN,
// \uNNNN; quotes escaped.
std::string printable(std::string_view text, size_t most);

}  // namespace patchbay::core::json

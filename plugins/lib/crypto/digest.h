// SHA-256 and HMAC-SHA-256. Pure functions, any thread. Results are raw bytes.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::lib {

// 32 bytes.
std::string sha256(std::string_view data);
// RFC 2104 with SHA-256; 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view data);

// Compares in a time that depends only on the lengths.
bool equal_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace patchbay::lib

// SHA-256 and what is made of it. Pure functions, any thread. Results are raw bytes (see encode.h for hex).
#pragma once

#include <string>
#include <string_view>

namespace patchbay::lib {

// 32 bytes.
std::string sha256(std::string_view data);
// RFC 2104 with SHA-256; 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view data);

// In a time that depends on the lengths alone.
bool equal_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace patchbay::lib

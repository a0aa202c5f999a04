// Base64 of RFC 4648; reading also accepts the URL-safe alphabet, missing padding and line breaks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay::lib {

void append_base64(std::string& out, const void* data, size_t size);
bool decode_base64(std::string_view text, std::string& out);  // false: not base64; `out` is then unspecified

}  // namespace patchbay::lib

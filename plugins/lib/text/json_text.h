// Writing JSON by appending to a string.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::lib {

// "text" in quotes; what is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace patchbay::lib

// Writing JSON by appending to a string.
#pragma once

#include <string>
#include <string_view>

#include "json_view.h"

namespace patchbay::ai_voice {

// "text" in quotes; what is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);
void append_json(std::string& out, JsonView value);

}  // namespace patchbay::ai_voice

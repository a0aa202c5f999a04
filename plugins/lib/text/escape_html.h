// Text in HTML. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::lib {

// Returns text for HTML content and attribute values. Control characters become U+FFFD, except tabs and line
// ends.
std::string escape_html(std::string_view text);

}  // namespace patchbay::lib

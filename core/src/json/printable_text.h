// Text for people: what messages show of a document, and lengths as schemas count them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay::core::json {

// Counts characters; each byte that is not UTF-8 counts as one.
size_t code_points(std::string_view text) noexcept;

// Returns at most `max_characters` characters of `text` for a message: printable ASCII as it is, everything
// else as \xNN or \uNNNN, quotes escaped.
std::string printable(std::string_view text, size_t max_characters);

}  // namespace patchbay::core::json

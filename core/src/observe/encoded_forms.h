// The forms in which a secret may stand in a text: as it is, in a URL, in JSON, in base64.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::core::observe {

// Each form once, the plain one first. Percent-encoded with upper-case digits; JSON-escaped as our own writer
// does it; in base64 (both alphabets) what the secret determines of it at each of the three places it may
// have in a group of bytes. Forms shorter than `min_size` are left out.
std::vector<std::string> encoded_forms(std::string_view secret, size_t min_size);

}  // namespace patchbay::core::observe

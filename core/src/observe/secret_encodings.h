// The encodings in which a secret may appear in a text: plain, in a URL, in JSON, in base64.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::core::observe {

// Returns each form once, the plain one first. Percent-encoding uses upper-case digits; JSON is escaped as by
// patchbay/json_string.h. Base64, in both alphabets, depends on the secret's offset in a group of three
// bytes: for each offset the form holds the characters that the secret alone determines. Leaves out forms
// shorter than `min_size`.
std::vector<std::string> encoded_forms(std::string_view secret, size_t min_size);

}  // namespace patchbay::core::observe

#include "observe/secret_encodings.h"

#include <patchbay/base64.h>
#include <patchbay/json_string.h>
#include <patchbay/percent_encoding.h>

#include <algorithm>

namespace patchbay::core::observe {
namespace {

std::string json_escaped(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out.substr(1, out.size() - 2);  // without the quotes
}

// The base64 characters that `text` alone determines when `before` unknown bytes precede it and any bytes
// follow.
std::string base64_inside(std::string_view text, size_t before) {
  const std::string padded = std::string(before, '\0') + std::string(text);
  const size_t first = (before * 8 + 5) / 6, end = padded.size() * 8 / 6;
  std::string out;
  append_base64(out, padded);
  return out.substr(first, end - first);
}

std::string url_safe(std::string base64) {
  std::replace(base64.begin(), base64.end(), '+', '-');
  std::replace(base64.begin(), base64.end(), '/', '_');
  return base64;
}

}  // namespace

std::vector<std::string> encoded_forms(std::string_view secret, size_t min_size) {
  std::vector<std::string> all;
  const auto add = [&](std::string form) {
    if (form.size() >= min_size && std::find(all.begin(), all.end(), form) == all.end())
      all.push_back(std::move(form));
  };
  add(std::string(secret));
  add(percent_encode(secret));
  add(json_escaped(secret));
  for (const size_t before : {0, 1, 2}) {
    const std::string form = base64_inside(secret, before);
    add(form);
    add(url_safe(form));
  }
  return all;
}

}  // namespace patchbay::core::observe

#include "observe/encoded_forms.h"

#include <algorithm>
#include <cstdint>

#include "observe/escape.h"

namespace patchbay::core::observe {
namespace {

std::string percent_encoded(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

std::string json_escaped(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out.substr(1, out.size() - 2);  // without the quotes
}

// The base64 characters that `text` alone determines when `before` unknown bytes precede it and any bytes
// follow.
std::string base64_inside(std::string_view text, size_t before, const char* alphabet) {
  const std::string padded = std::string(before, '\0') + std::string(text);
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : padded) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    for (count += 8; count >= 6; count -= 6) out += alphabet[bits >> (count - 6) & 63];
  }
  return out.substr((before * 8 + 5) / 6);
}

}  // namespace

std::vector<std::string> encoded_forms(std::string_view secret, size_t min_size) {
  constexpr char kStandard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr char kForUrls[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::vector<std::string> all;
  const auto add = [&](std::string form) {
    if (form.size() >= min_size && std::find(all.begin(), all.end(), form) == all.end())
      all.push_back(std::move(form));
  };
  add(std::string(secret));
  add(percent_encoded(secret));
  add(json_escaped(secret));
  for (const char* alphabet : {kStandard, kForUrls})
    for (const size_t before : {0, 1, 2}) add(base64_inside(secret, before, alphabet));
  return all;
}

}  // namespace patchbay::core::observe

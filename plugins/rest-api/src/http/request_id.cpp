#include "request_id.h"

#include <patchbay/hex.h>
#include <patchbay/text.h>

#include <algorithm>
#include <cstdint>
#include <random>

namespace patchbay::rest_api {

bool is_sane_request_id(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
  });
}

std::string make_request_id() {
  thread_local std::mt19937_64 random{(uint64_t{std::random_device{}()} << 32) | std::random_device{}()};
  uint64_t bits = random();
  std::string id(16, '0');
  for (char& digit : id) {
    digit = kHexDigits[bits & 15];
    bits >>= 4;
  }
  return id;
}

}  // namespace patchbay::rest_api

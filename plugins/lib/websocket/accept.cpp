#include "websocket/accept.h"

#include <openssl/sha.h>
#include <patchbay/base64.h>
#include <patchbay/text.h>

#include <algorithm>
#include <array>

namespace patchbay::lib {

std::string websocket_accept(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest;
  ::SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string out;
  append_base64(out, digest.data(), digest.size());
  return out;
}

bool is_websocket_key(std::string_view key) {
  if (key.size() != 24 || !key.ends_with("==")) return false;
  key.remove_suffix(2);
  return std::all_of(key.begin(), key.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
  });
}

}  // namespace patchbay::lib

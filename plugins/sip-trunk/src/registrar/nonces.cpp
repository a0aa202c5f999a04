#include "registrar/nonces.h"

#include <patchbay/hex.h>

#include <cstdlib>

#include "crypto/digest.h"
#include "random64.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

constexpr size_t kTimeDigits = 16, kSaltDigits = 16, kMacBytes = 16, kTagBytes = 8;

std::string hex64(uint64_t value) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return to_hex(bytes);
}

}  // namespace

std::string Nonces::mac(std::string_view head, std::string_view source) const {
  std::string text = "nonce|";
  text.append(head).append("|").append(source);
  return to_hex(lib::hmac_sha256(key_, text).substr(0, kMacBytes));
}

std::string Nonces::make(std::string_view source, int64_t now_ms) const {
  const std::string head = hex64(static_cast<uint64_t>(now_ms)) + hex64(random64());
  return head + mac(head, source);
}

bool Nonces::is_valid(std::string_view nonce, std::string_view source, int64_t now_ms) const {
  constexpr size_t kHead = kTimeDigits + kSaltDigits;
  if (nonce.size() != kHead + 2 * kMacBytes) return false;
  const std::string_view head = nonce.substr(0, kHead);
  if (!lib::equal_constant_time(mac(head, source), nonce.substr(kHead))) return false;
  const std::string time(nonce.substr(0, kTimeDigits));
  const auto made_ms = static_cast<int64_t>(std::strtoull(time.c_str(), nullptr, 16));
  return now_ms >= made_ms && now_ms - made_ms <= kNonceLifetimeMs;
}

std::string Nonces::tag(std::string_view call_id) const {
  std::string text = "tag|";
  text.append(call_id);
  return to_hex(lib::hmac_sha256(key_, text).substr(0, kTagBytes));
}

}  // namespace patchbay::sip_trunk

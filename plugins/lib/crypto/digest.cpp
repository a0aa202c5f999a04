#include "crypto/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdint>
#include <cstring>

namespace patchbay::lib {
namespace {

constexpr size_t kSize = 32;
const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Fetched once, because OpenSSL looks EVP_sha256() up by its name whenever it is used.
const EVP_MD* sha256_method() {
  static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return method != nullptr ? method : EVP_sha256();
}

}  // namespace

std::string sha256(std::string_view data) {
  std::string out(kSize, '\0');
  EVP_Digest(data.data(), data.size(), reinterpret_cast<unsigned char*>(out.data()), nullptr, sha256_method(),
             nullptr);
  return out;
}

std::string hmac_sha256(std::string_view key, std::string_view data) {
  std::string out(kSize, '\0');
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes(data), data.size(),
       reinterpret_cast<unsigned char*>(out.data()), nullptr);
  return out;
}

// In words, because CRYPTO_memcmp() goes octet by octet, and bearers are long. The empty assembly hides from
// the compiler what `differs` holds, so that it cannot leave the loop early.
bool equal_constant_time(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  uint64_t differs = 0, of_a = 0, of_b = 0;
  size_t at = 0;
  for (; a.size() - at >= sizeof differs; at += sizeof differs) {
    std::memcpy(&of_a, a.data() + at, sizeof of_a);
    std::memcpy(&of_b, b.data() + at, sizeof of_b);
    differs |= of_a ^ of_b;
    asm volatile("" : "+r"(differs));
  }
  differs |= static_cast<uint64_t>(CRYPTO_memcmp(a.data() + at, b.data() + at, a.size() - at));
  return differs == 0;
}

}  // namespace patchbay::lib

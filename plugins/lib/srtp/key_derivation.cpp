#include "srtp/key_derivation.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstring>
#include <memory>

namespace patchbay::lib {
namespace {

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

// The first `size` bytes of the key stream of AES counter mode under the master key, from the block (master
// salt XOR label || 0) * 2^16. A salt of 12 bytes counts as 14 with zeros behind.
bool derive_key(const MasterKey& master, uint8_t label, uint8_t* out, size_t size) {
  const SrtpProfileInfo& profile = info_of(master.profile());
  std::array<uint8_t, 16> counter{};
  std::memcpy(counter.data(), master.salt(), profile.salt_bytes);
  counter[7] ^= label;
  const CipherContext context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  const EVP_CIPHER* cipher = profile.key_bytes == 32 ? EVP_aes_256_ctr() : EVP_aes_128_ctr();
  std::memset(out, 0, size);
  int written = 0;
  return context && EVP_EncryptInit_ex(context.get(), cipher, nullptr, master.key(), counter.data()) == 1 &&
         EVP_EncryptUpdate(context.get(), out, &written, out, static_cast<int>(size)) == 1;
}

}  // namespace

SessionKeys::~SessionKeys() { OPENSSL_cleanse(this, sizeof(*this)); }

Result<SessionKeys> derive_session_keys(const MasterKey& master, SrtpKind kind) {
  const SrtpProfileInfo& profile = info_of(master.profile());
  const uint8_t first = kind == SrtpKind::rtp ? 0 : 3;  // labels: cipher, authentication, salt
  SessionKeys keys;
  if (!derive_key(master, first, keys.cipher.data(), profile.key_bytes) ||
      !derive_key(master, first + 1, keys.authentication.data(), keys.authentication.size()) ||
      !derive_key(master, first + 2, keys.salt.data(), profile.salt_bytes))
    return Error{Code::unavailable, "AES counter mode is not available"};
  return keys;
}

}  // namespace patchbay::lib

#include "srtp/master_key.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <cstring>

namespace patchbay::lib {

Result<MasterKey> MasterKey::from(SrtpProfile profile, std::string_view key_and_salt) {
  MasterKey key(profile);
  if (key_and_salt.size() != key.size())
    return Error{Code::invalid, "a key of " + std::string(info_of(profile).name) + " has " +
                                    std::to_string(key.size()) + " bytes with its salt"};
  std::memcpy(key.bytes_.data(), key_and_salt.data(), key_and_salt.size());
  return key;
}

Result<MasterKey> MasterKey::random(SrtpProfile profile) {
  MasterKey key(profile);
  if (RAND_bytes(key.bytes_.data(), static_cast<int>(key.size())) != 1)
    return Error{Code::unavailable, "the system provides no random bytes"};
  return key;
}

MasterKey::~MasterKey() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

bool MasterKey::operator==(const MasterKey& other) const noexcept {
  return profile_ == other.profile_ && CRYPTO_memcmp(bytes_.data(), other.bytes_.data(), size()) == 0;
}

}  // namespace patchbay::lib

// The master key and salt of one direction (RFC 3711 section 3.2.1). The destructor erases them.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "srtp/srtp_profile.h"

namespace patchbay::lib {

class MasterKey {
 public:
  // `key_and_salt`: raw bytes, the key first. Code::invalid: wrong length for the profile.
  static Result<MasterKey> from(SrtpProfile profile, std::string_view key_and_salt);
  // A random one. Code::unavailable: the system provides no randomness.
  static Result<MasterKey> random(SrtpProfile profile);

  MasterKey(const MasterKey&) = default;
  MasterKey& operator=(const MasterKey&) = default;
  ~MasterKey();

  SrtpProfile profile() const noexcept { return profile_; }
  const uint8_t* key() const noexcept { return bytes_.data(); }
  const uint8_t* salt() const noexcept { return bytes_.data() + info_of(profile_).key_bytes; }
  size_t size() const noexcept { return size_t{info_of(profile_).key_bytes} + info_of(profile_).salt_bytes; }
  // Key and salt; a secret, which must not be logged.
  std::string_view secret() const noexcept { return {reinterpret_cast<const char*>(bytes_.data()), size()}; }
  bool operator==(const MasterKey& other) const noexcept;

 private:
  explicit MasterKey(SrtpProfile profile) noexcept : profile_(profile) {}

  SrtpProfile profile_;
  std::array<uint8_t, kMaxSrtpKeyBytes + kMaxSrtpSaltBytes> bytes_{};
};

}  // namespace patchbay::lib

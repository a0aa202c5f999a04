// Derives session keys from a master key (RFC 3711 section 4.3, RFC 7714 section 11), with key derivation
// rate 0: once, for the life of the master key. Any thread.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <cstdint>

#include "srtp/master_key.h"

namespace patchbay::lib {

// The keys of RTP or of RTCP. The destructor erases them.
struct SessionKeys {
  std::array<uint8_t, kMaxSrtpKeyBytes> cipher{};
  std::array<uint8_t, 20> authentication{};  // not used by AEAD
  std::array<uint8_t, kMaxSrtpSaltBytes> salt{};

  SessionKeys() = default;
  SessionKeys(const SessionKeys&) = default;
  SessionKeys& operator=(const SessionKeys&) = default;
  ~SessionKeys();
};

enum class SrtpKind : uint8_t { rtp, rtcp };

// Code::unavailable: the cryptographic library failed.
Result<SessionKeys> derive_session_keys(const MasterKey& master, SrtpKind kind);

}  // namespace patchbay::lib

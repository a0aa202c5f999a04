// The protection profiles of SRTP: which ciphers, and the lengths of keys and tags. Pure functions, any
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace patchbay::lib {

enum class SrtpProfile : uint8_t {
  aes128_cm_sha1_80,  // RFC 3711
  aes128_cm_sha1_32,  // the same with a tag of 4 bytes in RTP; in RTCP it has 10
  aead_aes128_gcm,    // RFC 7714
  aead_aes256_gcm,
};

struct SrtpProfileInfo {
  SrtpProfile profile;
  std::string_view name;  // of a=crypto (RFC 4568)
  uint16_t dtls_id;       // of use_srtp (RFC 5764 section 4.1.2)
  uint8_t key_bytes;
  uint8_t salt_bytes;
  uint8_t rtp_tag_bytes;
  uint8_t rtcp_tag_bytes;
  bool is_aead;
};

// In order of preference: AEAD costs a third of AES-CM with HMAC-SHA1 (tests/bench, bench-srtp).
constexpr std::array<SrtpProfileInfo, 4> kSrtpProfiles = {{
    {SrtpProfile::aead_aes128_gcm, "AEAD_AES_128_GCM", 0x0007, 16, 12, 16, 16, true},
    {SrtpProfile::aead_aes256_gcm, "AEAD_AES_256_GCM", 0x0008, 32, 12, 16, 16, true},
    {SrtpProfile::aes128_cm_sha1_80, "AES_CM_128_HMAC_SHA1_80", 0x0001, 16, 14, 10, 10, false},
    {SrtpProfile::aes128_cm_sha1_32, "AES_CM_128_HMAC_SHA1_32", 0x0002, 16, 14, 4, 10, false},
}};

constexpr const SrtpProfileInfo& info_of(SrtpProfile profile) noexcept {
  for (const SrtpProfileInfo& one : kSrtpProfiles)
    if (one.profile == profile) return one;
  return kSrtpProfiles[0];
}

constexpr std::optional<SrtpProfile> srtp_profile_named(std::string_view name) noexcept {
  for (const SrtpProfileInfo& one : kSrtpProfiles)
    if (one.name == name) return one.profile;
  return std::nullopt;
}

constexpr std::optional<SrtpProfile> srtp_profile_of_dtls(uint16_t id) noexcept {
  for (const SrtpProfileInfo& one : kSrtpProfiles)
    if (one.dtls_id == id) return one.profile;
  return std::nullopt;
}

constexpr size_t kMaxSrtpKeyBytes = 32;
constexpr size_t kMaxSrtpSaltBytes = 14;
// Room that protect needs behind a packet: the tag, and in RTCP the index.
constexpr size_t kMaxSrtpTrailerBytes = 20;

}  // namespace patchbay::lib

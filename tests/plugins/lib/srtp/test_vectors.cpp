// The examples of RFC 3711 and RFC 7714, and those of libsrtp2's own test driver.
#include <cstring>

#include "plugins/lib/srtp/srtp_packets.h"

using namespace patchbay;
using namespace patchbay::lib;

namespace {

MasterKey master(SrtpProfile profile, std::string_view hex) {
  return *MasterKey::from(profile, *from_hex(hex));
}

template <size_t n>
void set(std::array<uint8_t, n>& out, std::string_view hex) {
  const Bytes bytes = bytes_of(hex);
  std::memcpy(out.data(), bytes.data(), bytes.size());
}

SessionKeys session_keys(std::string_view cipher, std::string_view salt) {
  SessionKeys keys;
  set(keys.cipher, cipher);
  set(keys.salt, salt);
  return keys;
}

template <size_t n>
std::string hex_of(const std::array<uint8_t, n>& bytes, size_t count) {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), count});
}

std::string protect(SrtpSender& sender, SrtpKind kind, std::string_view hex) {
  const auto multi_buffer = *MultiBuffer::create();
  Bytes packet = bytes_of(hex);
  const size_t size = packet.size();
  packet.resize(size + kMaxSrtpTrailerBytes);
  OutboundPacket out{&sender, kind, packet.data(), size, packet.size()};
  REQUIRE(multi_buffer->protect(out));
  packet.resize(out.size);
  return to_hex({reinterpret_cast<const char*>(packet.data()), packet.size()});
}

constexpr std::string_view kCmMaster = "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6";
constexpr std::string_view kRtp = "800f1234decafbadcafebabeabababababababababababababababab";
constexpr std::string_view kRtcp = "81c8000bcafebabeabababababababababababababababab";

constexpr std::string_view kGcm128 = "000102030405060708090a0b0c0d0e0f";
constexpr std::string_view kGcm256 = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
constexpr std::string_view kGcmSalt = "517569642070726f2071756f";
constexpr std::string_view kGallia =
    "8040f17b8041f8d35501a0b247616c6c696120657374206f6d6e69732064697669736120696e207061727465732074726573";

}  // namespace

TEST_CASE("session keys are derived as in appendix B.3 of RFC 3711") {
  const auto keys = derive_session_keys(master(SrtpProfile::aes128_cm_sha1_80, kCmMaster), SrtpKind::rtp);
  REQUIRE(keys);
  CHECK(hex_of(keys->cipher, 16) == "c61e7a93744f39ee10734afe3ff7a087");
  CHECK(hex_of(keys->salt, 14) == "30cbbc08863d8c85d49db34a9ae1");
  CHECK(hex_of(keys->authentication, 20) == "cebe321f6ff7716b6fd4ab49af256a156d38baa4");
}

TEST_CASE("the key stream of AES counter mode is that of appendix B.2 of RFC 3711") {
  const SessionKeys keys = session_keys("2b7e151628aed2a6abf7158809cf4f3c", "f0f1f2f3f4f5f6f7f8f9fafbfcfd");
  const auto sender = *SrtpSender::create(SrtpProfile::aes128_cm_sha1_80, keys, keys);
  const std::string header = "800000000000000000000000";
  const std::string out = protect(*sender, SrtpKind::rtp, header + std::string(64, '0'));
  CHECK(out.substr(24, 64) == "e03ead0935c95e80e166b16dd92b4eb4d23513162b02d0f72a43a2fe4a5f97ab");
}

TEST_CASE("packets of AES-CM with HMAC-SHA1 are those of libsrtp2's own tests") {
  const auto sender = *SrtpSender::create(master(SrtpProfile::aes128_cm_sha1_80, kCmMaster));
  CHECK(protect(*sender, SrtpKind::rtp, kRtp) ==
        "800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb");
  CHECK(protect(*sender, SrtpKind::rtcp, kRtcp) ==
        "81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798");
}

TEST_CASE("packets of AES-GCM are those of libsrtp2's own tests") {
  const auto sender = *SrtpSender::create(
      master(SrtpProfile::aead_aes128_gcm, std::string(kGcm128) + "a0a1a2a3a4a5a6a7a8a9aaab"));
  CHECK(protect(*sender, SrtpKind::rtp, kRtp) ==
        "800f1234decafbadcafebabec5002ede04cfdd2eb91159e0880aa06ed2976826f796b201df3131a127e8a392");
  CHECK(protect(*sender, SrtpKind::rtcp, kRtcp) ==
        "81c8000bcafebabec98b8b5df0392a55852b6c21ac8e7025c52c6fbea2b3b446ea31123ba88ce61e80000001");
}

TEST_CASE("packets of AES-GCM are those of section 16 of RFC 7714") {
  const SessionKeys keys128 = session_keys(kGcm128, kGcmSalt);
  const auto sender128 = *SrtpSender::create(SrtpProfile::aead_aes128_gcm, keys128, keys128);
  CHECK(protect(*sender128, SrtpKind::rtp, kGallia) ==
        "8040f17b8041f8d35501a0b2f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833"
        "899d7f27beb16a9152cf765ee4390cce");
  const SessionKeys keys256 = session_keys(kGcm256, kGcmSalt);
  const auto sender256 = *SrtpSender::create(SrtpProfile::aead_aes256_gcm, keys256, keys256);
  CHECK(protect(*sender256, SrtpKind::rtp, kGallia) ==
        "8040f17b8041f8d35501a0b232b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba63799b87b"
        "7aa3db36dfffd6b0f9bb7878d7a76c13");
}

#include "secure/secure_media.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "rtp/bytes.h"

using namespace patchbay;
using namespace patchbay::sip_trunk;
using Kind = lib::PacketProtection::Kind;

namespace {

constexpr auto kProfile = lib::SrtpProfile::aead_aes128_gcm;

// The peer with one key, and how often its sequence numbers have rolled over.
struct PeerSender {
  explicit PeerSender(char byte)
      : key(*lib::MasterKey::from(kProfile, std::string(28, byte))),
        sender(*lib::SrtpSender::create(key)),
        multi_buffer(*lib::MultiBuffer::create()) {}

  // Sends the packet with this index; those before are lost.
  bool reaches(SrtpProtection& receiver, uint32_t index) {
    for (; next < index; next += 10'000) (void)protect(next);
    next = index + 1;
    size_t size = protect(index);
    return size > 0 && receiver.unprotect(Kind::rtp, packet.data(), size);
  }
  size_t protect(uint32_t index) {
    packet = {};
    packet[0] = 0x80;
    lib::write_u16(&packet[2], static_cast<uint16_t>(index));
    packet[11] = 7;
    lib::OutboundPacket out{sender.get(), lib::SrtpKind::rtp, packet.data(), 100, packet.size()};
    return multi_buffer->protect(out) ? out.size : 0;
  }

  lib::MasterKey key;
  std::unique_ptr<lib::SrtpSender> sender;
  std::unique_ptr<lib::MultiBuffer> multi_buffer;
  uint32_t next = 0;
  std::array<uint8_t, 200> packet{};
};

}  // namespace

TEST_CASE("a peer that changes its key may count its roll-overs from 0 again") {
  SecureMedia media;
  const lib::MasterKey ours = *lib::MasterKey::random(kProfile);
  PeerSender first(1), second(2);
  const auto before = *media.protection(ours, first.key, nullptr);
  for (uint32_t index = 0; index < 2 * 65'536; index += 10'000) CHECK(first.reaches(*before, index));
  const auto after = *media.protection(ours, second.key, before.get());
  for (uint32_t index = 0; index < 2 * 65'536; index += 10'000) CHECK(second.reaches(*after, index));
}

TEST_CASE("a peer that changes its key keeps its roll-over count, also after a key that it did not use") {
  SecureMedia media;
  const lib::MasterKey ours = *lib::MasterKey::random(kProfile);
  PeerSender first(1), unused(2), third(3);
  const auto before = *media.protection(ours, first.key, nullptr);
  for (uint32_t index = 0; index < 2 * 65'536; index += 10'000) CHECK(first.reaches(*before, index));
  const auto silent = *media.protection(ours, unused.key, before.get());
  const auto after = *media.protection(ours, third.key, silent.get());
  uint32_t index = 2 * 65'536;
  CHECK(first.reaches(*after, index));  // under way when the key changed
  int refused = 0;
  while (!third.reaches(*after, ++index)) REQUIRE(++refused < 20);
  for (int i = 0; i < 50; ++i) CHECK(third.reaches(*after, ++index));
  const auto later = *media.protection(ours, third.key, after.get());  // a hold
  CHECK(third.reaches(*later, ++index));
}

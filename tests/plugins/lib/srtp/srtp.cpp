// What libipsec-mb protects, libsrtp2 accepts, and nothing else.
#include <algorithm>
#include <random>
#include <thread>

#include "plugins/lib/srtp/srtp_packets.h"

using namespace patchbay;
using namespace patchbay::lib;

TEST_CASE("each profile protects RTP and RTCP of every length, and the receiver gets the same bytes") {
  for (const SrtpProfile profile : kAllSrtpProfiles) {
    CAPTURE(info_of(profile).name);
    SrtpPath path(profile);
    for (const size_t payload : {0, 1, 15, 16, 17, 80, 160, 161, 960, 1460}) {
      CAPTURE(payload);
      const Bytes plain = rtp_packet(7, static_cast<uint16_t>(payload), payload);
      Bytes packet = path.protect(plain);
      REQUIRE(packet.size() == plain.size() + info_of(profile).rtp_tag_bytes);
      if (payload > 15) CHECK_FALSE(std::equal(plain.begin() + 12, plain.end(), packet.begin() + 12));
      CHECK(path.unprotect(packet) == (packet.size() > 1500 ? Verdict::malformed : Verdict::accepted));
      if (packet.size() <= 1500) CHECK(packet == plain);
    }
    for (uint8_t mark = 0; mark < 5; ++mark) {
      Bytes packet = path.protect(rtcp_packet(7, mark), SrtpKind::rtcp);
      REQUIRE(packet.size() == 28U + info_of(profile).rtcp_tag_bytes + 4);
      CHECK(path.unprotect(packet, SrtpKind::rtcp) == Verdict::accepted);
      CHECK(packet == rtcp_packet(7, mark));
    }
  }
}

TEST_CASE("contributing sources and a header extension stay in the clear, and are authenticated") {
  for (const SrtpProfile profile : kAllSrtpProfiles) {
    CAPTURE(info_of(profile).name);
    SrtpPath path(profile);
    const Bytes plain =
        bytes_of("9202000100000002000000030000000400000005bede000110ff0000" + std::string(80, 'a'));
    const Bytes packet = path.protect(plain);
    CHECK(std::equal(plain.begin(), plain.begin() + 28, packet.begin()));
    Bytes tampered = packet;
    tampered[26] ^= 1;
    CHECK(path.receive(tampered) == Verdict::forged);
    Bytes received = packet;
    CHECK(path.unprotect(received) == Verdict::accepted);
    CHECK(received == plain);
  }
}

TEST_CASE("packets of several senders, profiles and kinds are protected in one call") {
  std::vector<std::unique_ptr<SrtpPath>> paths;
  for (const SrtpProfile profile : kAllSrtpProfiles)
    for (const char* byte : {"\x01", "\x02", "\x03"})
      paths.push_back(std::make_unique<SrtpPath>(profile, byte));
  const auto multi_buffer = *MultiBuffer::create();
  for (const size_t count : {1U, 3U, 4U, 31U, 32U, 33U, 100U}) {
    std::vector<Bytes> plain, packets;
    std::vector<OutboundPacket> out;
    for (size_t i = 0; i < count; ++i) {
      const bool is_rtp = i % 5 != 4;
      plain.push_back(is_rtp ? rtp_packet(9, static_cast<uint16_t>(count * 128 + i), 20 + i)
                             : rtcp_packet(9, static_cast<uint8_t>(i)));
      packets.push_back(plain.back());
      packets.back().resize(plain.back().size() + kMaxSrtpTrailerBytes);
      out.push_back({paths[i % paths.size()]->sender.get(), is_rtp ? SrtpKind::rtp : SrtpKind::rtcp,
                     packets.back().data(), plain.back().size(), packets.back().size()});
    }
    multi_buffer->protect(out);
    for (size_t i = 0; i < count; ++i) {
      CAPTURE(i);
      REQUIRE(out[i].is_protected);
      packets[i].resize(out[i].size);
      CHECK(paths[i % paths.size()]->unprotect(packets[i], out[i].kind) == Verdict::accepted);
      CHECK(packets[i] == plain[i]);
    }
  }
}

TEST_CASE("a packet is neither protected twice nor accepted twice") {
  for (const SrtpProfile profile : kAllSrtpProfiles) {
    CAPTURE(info_of(profile).name);
    SrtpPath path(profile);
    std::vector<Bytes> sent;
    for (uint16_t i = 0; i < 200; ++i) {
      sent.push_back(path.protect(rtp_packet(7, i)));
      CHECK(path.protect(rtp_packet(7, i)).empty());
      CHECK(path.receive(sent.back()) == Verdict::accepted);
    }
    for (const Bytes& packet : sent) CHECK(path.receive(packet) == Verdict::replayed);
    const Bytes report = path.protect(rtcp_packet(7), SrtpKind::rtcp);
    CHECK(path.receive(report, SrtpKind::rtcp) == Verdict::accepted);
    CHECK(path.receive(report, SrtpKind::rtcp) == Verdict::replayed);
  }
}

TEST_CASE("packets that arrive in another order are accepted once each") {
  SrtpPath path(SrtpProfile::aes128_cm_sha1_80);
  std::vector<Bytes> sent;
  for (uint16_t i = 0; i < 300; ++i)
    sent.push_back(path.protect(rtp_packet(7, static_cast<uint16_t>(65'400 + i))));
  CHECK(path.receive(sent[0]) == Verdict::accepted);
  std::shuffle(sent.begin() + 1, sent.end(), std::mt19937(20261123));
  for (size_t i = 1; i < sent.size(); ++i) CHECK(path.receive(sent[i]) == Verdict::accepted);
  for (const Bytes& packet : sent) CHECK(path.receive(packet) == Verdict::replayed);
}

TEST_CASE(
    "a flipped bit anywhere, a cut packet and another key's packet are forged, and the stream goes on") {
  for (const SrtpProfile profile : kAllSrtpProfiles) {
    CAPTURE(info_of(profile).name);
    SrtpPath path(profile);
    SrtpPath other(profile, "\x11");
    CHECK(path.receive(path.protect(rtp_packet(7, 1, 20))) == Verdict::accepted);
    const Bytes good = path.protect(rtp_packet(7, 2, 20));
    for (size_t bit = 8; bit < good.size() * 8;
         ++bit) {                                  // the first byte has the version and the header's length
      if (bit / 8 >= 8 && bit / 8 < 12) continue;  // another SSRC: below
      Bytes bad = good;
      bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      CAPTURE(bit);
      CHECK(path.receive(bad) != Verdict::accepted);
    }
    for (size_t size = 0; size < good.size(); ++size)
      CHECK(path.receive(Bytes(good.begin(), good.begin() + static_cast<ptrdiff_t>(size))) !=
            Verdict::accepted);
    CHECK(path.receive(other.protect(rtp_packet(7, 2, 20))) == Verdict::forged);
    Bytes other_source = good;
    other_source[11] ^= 1;
    CHECK(path.receive(other_source) == Verdict::forged);
    CHECK(path.receive(good) == Verdict::accepted);
  }
}

TEST_CASE("the stream survives many roll-overs") {
  for (const SrtpProfile profile : {SrtpProfile::aes128_cm_sha1_80, SrtpProfile::aead_aes128_gcm}) {
    SrtpPath path(profile);
    for (uint32_t i = 60'000; i < 60'000 + 3 * 65'536; i += 997)
      REQUIRE(path.receive(path.protect(rtp_packet(7, static_cast<uint16_t>(i), 4))) == Verdict::accepted);
  }
}

TEST_CASE("a source is found again after a silence in which less than 2^16 of its packets were lost") {
  for (const SrtpProfile profile : kAllSrtpProfiles) {
    CAPTURE(info_of(profile).name);
    for (const uint32_t lost : {1'000U, 32'000U, 33'000U, 50'000U, 65'000U}) {
      CAPTURE(lost);
      SrtpPath path(profile);
      uint32_t next = 30'000;
      for (; next < 30'010; ++next)
        CHECK(path.receive(path.protect(rtp_packet(7, static_cast<uint16_t>(next), 4))) == Verdict::accepted);
      for (const uint32_t end = next + lost; next < end; ++next)
        (void)path.protect(rtp_packet(7, static_cast<uint16_t>(next), 4));
      int refused = 0;
      while (path.receive(path.protect(rtp_packet(7, static_cast<uint16_t>(next++), 4))) != Verdict::accepted)
        REQUIRE(++refused < 20);
      for (int i = 0; i < 100'000; i += 500, next += 500)
        CHECK(path.receive(path.protect(rtp_packet(7, static_cast<uint16_t>(next), 4))) == Verdict::accepted);
    }
  }
}

TEST_CASE(
    "each source has its own indices, and a further one than allowed replaces the one silent for longest") {
  SrtpPath path(SrtpProfile::aes128_cm_sha1_80);
  path.receiver = *SrtpReceiver::create(path.key, 3);
  path.sender = *SrtpSender::create(path.key, 4);
  for (const uint32_t ssrc : {1, 2, 3})
    CHECK(path.receive(path.protect(rtp_packet(ssrc, 5))) == Verdict::accepted);
  CHECK(path.receive(path.protect(rtp_packet(1, 6))) == Verdict::accepted);
  const Bytes fourth = path.protect(rtp_packet(4, 5));
  CHECK(path.receive(fourth) == Verdict::accepted);
  CHECK(path.receive(fourth) == Verdict::replayed);
  CHECK(path.protect(rtp_packet(5, 5)).empty());  // the sender's sources are ours
  for (const uint32_t ssrc : {1, 3, 4, 2})
    CHECK(path.receive(path.protect(rtp_packet(ssrc, 7))) == Verdict::accepted);
}

TEST_CASE("a peer may have more sources in a call than are kept") {
  SrtpPath path(SrtpProfile::aead_aes128_gcm);
  path.sender = *SrtpSender::create(path.key, 200);
  for (uint32_t ssrc = 1; ssrc <= 200; ++ssrc)
    CHECK(path.receive(path.protect(rtp_packet(ssrc, 5))) == Verdict::accepted);
}

TEST_CASE("a source is found although its packets before the first roll-over were lost") {
  for (const SrtpProfile profile : kAllSrtpProfiles) {
    CAPTURE(info_of(profile).name);
    for (const bool with_rtcp : {false, true}) {
      SrtpPath path(profile);
      if (with_rtcp)
        CHECK(path.receive(path.protect(rtcp_packet(7), SrtpKind::rtcp), SrtpKind::rtcp) ==
              Verdict::accepted);
      for (const uint16_t lost : {uint16_t{65'530}, uint16_t{65'535}})
        (void)path.protect(rtp_packet(7, lost));
      uint16_t next = 0;
      while (path.receive(path.protect(rtp_packet(7, next++))) != Verdict::accepted) REQUIRE(next < 20);
      for (const uint16_t end = static_cast<uint16_t>(next + 20); next < end; ++next)
        CHECK(path.receive(path.protect(rtp_packet(7, next))) == Verdict::accepted);
    }
  }
}

TEST_CASE("the roll-over count of a source goes on when the peer changes its key") {
  for (const SrtpProfile profile : kAllSrtpProfiles) {
    CAPTURE(info_of(profile).name);
    for (const bool has_rolled_over_between : {false, true}) {
      SrtpPath before(profile, "\x11"), path(profile);
      uint32_t next = 0;
      for (; next < 3 * 65'536 + 2000; next += 500)
        CHECK(before.receive(before.protect(rtp_packet(7, static_cast<uint16_t>(next), 4))) ==
              Verdict::accepted);
      // What the sender has counted so far, under the new key.
      if (has_rolled_over_between) next += 65'536;
      for (uint32_t i = 0; i < next; i += 500) (void)path.protect(rtp_packet(7, static_cast<uint16_t>(i), 4));
      const auto receive = [&] {
        Bytes packet = path.protect(rtp_packet(7, static_cast<uint16_t>(next++), 4));
        size_t size = packet.size();
        return path.receiver->unprotect(SrtpKind::rtp, packet.data(), size, before.receiver.get());
      };
      int refused = 0;
      while (receive() != Verdict::accepted) REQUIRE(++refused < 20);
      for (int i = 0; i < 100; ++i) CHECK(receive() == Verdict::accepted);
    }
  }
}

TEST_CASE("forged packets of new sources take no place") {
  SrtpPath path(SrtpProfile::aead_aes128_gcm);
  path.receiver = *SrtpReceiver::create(path.key, 1);
  SrtpPath other(SrtpProfile::aead_aes128_gcm, "\x11");
  for (uint32_t ssrc = 1; ssrc < 4; ++ssrc)
    CHECK(path.receive(other.protect(rtp_packet(ssrc, 1))) == Verdict::forged);
  CHECK(path.receive(path.protect(rtp_packet(9, 1))) == Verdict::accepted);
}

TEST_CASE("a packet without room for its tag, a cut header and a wrong version are not protected") {
  SrtpPath path(SrtpProfile::aes128_cm_sha1_80);
  Bytes packet = rtp_packet(7, 1);
  OutboundPacket out{path.sender.get(), SrtpKind::rtp, packet.data(), packet.size(), packet.size() + 19};
  CHECK_FALSE(path.multi_buffer->protect(out));
  CHECK(path.protect(Bytes(11, 0x80)).empty());
  CHECK(path.protect(bytes_of("8f0000010000000200000003")).empty());          // 15 contributing sources
  CHECK(path.protect(bytes_of("90000001000000020000000300010001")).empty());  // an extension of one word
  CHECK(path.protect(bytes_of("400000010000000200000003")).empty());
  CHECK_FALSE(path.protect(bytes_of("800000010000000200000003")).empty());
}

TEST_CASE("random bytes are refused") {
  std::mt19937 random(20261123);
  for (const SrtpProfile profile : kAllSrtpProfiles) {
    SrtpPath path(profile);
    CHECK(path.receive(path.protect(rtp_packet(7, 1))) == Verdict::accepted);
    for (int i = 0; i < 5000; ++i) {
      Bytes bytes(random() % 200);
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
      if (bytes.size() > 12 && i % 2 == 0) {
        bytes[0] = static_cast<uint8_t>(0x80 | (bytes[0] & 0x3F));
        write_u32(&bytes[8], 7);
      }
      CHECK(path.receive(bytes, i % 3 == 0 ? SrtpKind::rtcp : SrtpKind::rtp) != Verdict::accepted);
    }
    CHECK(path.receive(path.protect(rtp_packet(7, 2))) == Verdict::accepted);
  }
}

TEST_CASE("a key of the wrong length is refused") {
  CHECK(MasterKey::from(SrtpProfile::aes128_cm_sha1_80, std::string(29, 'k')).error().code == Code::invalid);
  CHECK(MasterKey::from(SrtpProfile::aead_aes256_gcm, std::string(44, 'k')));
  CHECK_FALSE(*MasterKey::random(SrtpProfile::aead_aes128_gcm) ==
              *MasterKey::random(SrtpProfile::aead_aes128_gcm));
}

TEST_CASE("contexts are created and used by several threads") {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (int round = 0; round < 20; ++round) {
        SrtpPath path(kAllSrtpProfiles[i]);
        for (uint16_t at = 0; at < 20; ++at)
          CHECK(path.receive(path.protect(rtp_packet(7, at))) == Verdict::accepted);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

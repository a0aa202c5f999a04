#include "rtp/audio_stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "loopback.h"
#include "rtp/packet.h"

using namespace patchbay::lib;

namespace {

constexpr int64_t kTickNs = 20'000'000;
using Frame = std::array<int16_t, 160>;

std::unique_ptr<AudioStream> make_leg(uint64_t random) {
  auto socket = RtpSocket::open(loopback(), 0, 0);
  REQUIRE(socket);
  AudioStream::Options options;
  options.jitter = {40, 100};
  options.random = random;
  options.wall_ns = 1'800'000'000'000'000'000;
  options.cname = "leg";
  return std::make_unique<AudioStream>(*std::move(socket), options);
}

StreamMedia towards(const AudioStream& peer, Codec codec = Codec::pcmu) {
  StreamMedia media;
  media.remote_rtp = loopback(peer.local_port());
  media.remote_rtcp = loopback(static_cast<uint16_t>(peer.local_port() + 1));
  const int type = format_of(codec).payload_type;
  media.codecs = *StreamCodecs::make({.codecs = {{codec, type, type, {}}}});
  media.event_send_type = media.event_receive_type = 101;
  return media;
}

Frame constant(int16_t value) {
  Frame frame;
  frame.fill(value);
  return frame;
}

void configure(AudioStream& stream, StreamMedia media) { stream.configure(media); }

struct Pair {
  explicit Pair(Codec codec = Codec::pcmu) {
    configure(*a, towards(*b, codec));
    configure(*b, towards(*a, codec));
  }
  void tick(const Frame& from_a, const Frame& from_b = constant(0)) {
    now_ns += kTickNs;
    a->push(from_a.data(), now_ns);
    b->push(from_b.data(), now_ns);
    a->pull(at_a.data(), now_ns);
    received = b->pull(at_b.data(), now_ns);
  }
  std::unique_ptr<AudioStream> a = make_leg(0x1111222233334444);
  std::unique_ptr<AudioStream> b = make_leg(0x5555666677778888);
  int64_t now_ns = kTickNs;
  Frame at_a{}, at_b{};
  bool received = false;
};

}  // namespace

TEST_CASE("audio arrives in both laws") {
  for (const Codec law : {Codec::pcmu, Codec::pcma}) {
    Pair pair(law);
    for (int i = 0; i < 10; ++i) pair.tick(constant(4000), constant(-900));
    CHECK(pair.received);
    CHECK(std::abs(pair.at_b[0] - 4000) < 130);
    CHECK(std::abs(pair.at_a[159] + 900) < 40);
    CHECK(pair.b->stats().packets_received == 10);
    CHECK(pair.b->stats().lost == 0);
    CHECK(pair.b->stats().last_received_ns == pair.now_ns);
  }
}

TEST_CASE("a digit arrives once and the audio continues") {
  Pair pair;
  for (int i = 0; i < 5; ++i) pair.tick(constant(100));
  CHECK(pair.a->send_digits("7"));
  for (int i = 0; i < 20; ++i) pair.tick(constant(100));
  CHECK(pair.b->next_digit() == '7');
  CHECK_FALSE(pair.b->next_digit());
  CHECK(pair.received);
}

TEST_CASE("RTCP reports are exchanged and give the round-trip time") {
  Pair pair;
  for (int i = 0; i < 1200; ++i) pair.tick(constant(1));
  CHECK(pair.a->stats().round_trip_us < 60'000);
  CHECK(pair.a->stats().packets_refused == 0);
  CHECK(pair.a->stats().remote_fraction_lost == 0);
}

TEST_CASE("nothing is sent on hold and the stream resumes") {
  Pair pair;
  auto held = towards(*pair.b);
  held.send = false;
  configure(*pair.a, std::move(held));
  for (int i = 0; i < 50; ++i) pair.tick(constant(4000));
  CHECK(pair.a->stats().packets_sent == 0);
  configure(*pair.a, towards(*pair.b));
  for (int i = 0; i < 10; ++i) pair.tick(constant(4000));
  CHECK(pair.received);
}

TEST_CASE("packets from another host are not played and do not change the destination") {
  Pair pair;
  auto other_host = RtpSocket::open(*SocketAddress::parse("127.0.0.2", 0), 0, 0);
  REQUIRE(other_host);
  uint8_t spray[kRtpHeaderBytes + 160];
  std::fill(std::begin(spray), std::end(spray), uint8_t{0x80});  // loud
  uint16_t sequence = 0;
  const auto target = loopback(pair.b->local_port());
  for (int i = 0; i < 30; ++i) {
    RtpPacket header;
    header.sequence = sequence++;
    header.ssrc = 0x66;
    write_rtp_header(header, spray);
    (void)other_host->send(RtpSocket::Channel::rtp, target, spray, sizeof(spray));
    pair.tick(constant(0));
    CHECK(std::abs(pair.at_b[80]) < 100);
  }
  CHECK(pair.b->stats().packets_refused == 0);  // the kernel's filter dropped them
  CHECK(pair.b->packets_dropped() == 30);
  CHECK(pair.a->packets_dropped() == 0);
  CHECK(pair.b->stats().packets_received == 30);
  uint8_t data[64];
  SocketAddress source;
  CHECK(receive_one(*other_host, RtpSocket::Channel::rtp, data, sizeof(data), source) == -1);
}

TEST_CASE("a new SSRC is followed from its second packet on") {
  auto leg = make_leg(1);
  auto peer = RtpSocket::open(loopback(), 0, 0);
  REQUIRE(peer);
  StreamMedia media;
  media.remote_rtp = loopback(peer->rtp_port());
  leg->configure(media);
  uint8_t out[kRtpHeaderBytes + 160] = {};
  Frame frame;
  int64_t now_ns = 0;
  const auto send = [&](uint32_t ssrc, uint16_t sequence, uint8_t type) {
    RtpPacket header;
    header.ssrc = ssrc;
    header.sequence = sequence;
    header.timestamp = sequence * 160U;
    header.payload_type = type;
    write_rtp_header(header, out);
    (void)peer->send(RtpSocket::Channel::rtp, loopback(leg->local_port()), out, sizeof(out));
    leg->pull(frame.data(), now_ns += kTickNs);
    return leg->stats().packets_received.load();
  };
  CHECK(send(1, 10, 0) == 1);
  CHECK(send(2, 500, 0) == 1);  // not confirmed yet
  CHECK(send(1, 11, 0) == 2);
  CHECK(send(2, 501, 0) == 2);
  CHECK(send(2, 502, 0) == 3);
  CHECK(send(2, 503, 8) == 4);   // the other law is accepted
  CHECK(send(2, 504, 18) == 4);  // G.729 is not
  CHECK(leg->stats().packets_refused == 1);
}

TEST_CASE("junk from the peer's host displaces none of the peer's frames") {
  const std::vector<std::vector<uint8_t>> sprays = {
      {0xFF, 0xFF, 0, 0},              // nothing
      {0x80, 0xC8, 0, 0},              // looks like RTCP but is not valid
      {0x80, 0xC9, 0, 1, 0, 0, 0, 7},  // RTCP: an empty receiver report
  };
  for (const auto& junk : sprays) {
    CAPTURE(int{junk[1]});
    Pair pair;
    auto sprayer = RtpSocket::open(loopback(), 0, 0);
    REQUIRE(sprayer);
    const auto target = loopback(pair.b->local_port());
    pair.tick(constant(0));
    for (int i = 0; i < 50; ++i) {
      for (int k = 0; k < 50; ++k)
        (void)sprayer->send(RtpSocket::Channel::rtp, target, junk.data(), junk.size());
      pair.tick(constant(0));
    }
    CHECK(pair.b->stats().packets_received == 51);
    CHECK(pair.b->stats().packets_refused >= 2000);
  }
}

TEST_CASE("a burst from the peer's host leaves room for the peer's packets") {
  Pair pair;
  auto sprayer = RtpSocket::open(loopback(), 0, 0);
  REQUIRE(sprayer);
  const auto target = loopback(pair.b->local_port());
  const uint8_t junk[4] = {0xFF, 0xFF};
  pair.tick(constant(0));
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < 400; ++k) (void)sprayer->send(RtpSocket::Channel::rtp, target, junk, sizeof(junk));
    pair.tick(constant(0));
  }
  CHECK(pair.b->stats().packets_received == 11);
  CHECK(pair.b->stats().packets_refused == 4000);
}

TEST_CASE("packets that are too long are refused, whatever they look like") {
  Pair pair;
  auto sender = RtpSocket::open(loopback(), 0, 0);
  REQUIRE(sender);
  for (const uint8_t second : {0x00, 0xC8}) {  // RTP with padding, RTCP
    std::vector<uint8_t> large(60'000, 0x80);
    large[0] = 0xA0;
    large[1] = second;
    large[2] = 0x3A;
    large[3] = 0x97;
    const auto port = static_cast<uint16_t>(pair.b->local_port() + (second == 0 ? 0 : 1));
    (void)sender->send(RtpSocket::Channel::rtp, loopback(port), large.data(), large.size());
  }
  pair.tick(constant(0));
  CHECK(pair.b->stats().packets_received == 1);
  CHECK(pair.b->stats().packets_refused == 2);
}

TEST_CASE("comfort noise, unknown payloads and RTCP show that the peer is alive") {
  auto leg = make_leg(1);
  auto peer = RtpSocket::open(loopback(), 0, 0);
  REQUIRE(peer);
  StreamMedia media;
  media.remote_rtp = loopback(peer->rtp_port());
  media.remote_rtcp = loopback(static_cast<uint16_t>(peer->rtp_port() + 1));
  leg->configure(media);
  Frame frame;
  int64_t now_ns = 0;
  const auto pull = [&] {
    leg->pull(frame.data(), now_ns += kTickNs);
    return leg->stats().last_received_ns.load() == now_ns;
  };
  CHECK_FALSE(pull());
  uint8_t out[kRtpHeaderBytes + 1] = {};
  for (uint8_t type : {uint8_t{13}, uint8_t{18}}) {
    RtpPacket header;
    header.payload_type = type;
    write_rtp_header(header, out);
    (void)peer->send(RtpSocket::Channel::rtp, loopback(leg->local_port()), out, sizeof(out));
    CHECK(pull());
    CHECK_FALSE(pull());
  }
  CHECK(leg->stats().packets_refused == 1);
  uint8_t report[512];
  RtcpReport content;
  content.ssrc = 7;
  content.cname = "peer";
  const size_t size = write_rtcp(content, report, sizeof(report));
  (void)peer->send(RtpSocket::Channel::rtcp, loopback(static_cast<uint16_t>(leg->local_port() + 1)), report,
                   size);
  CHECK(pull());
}

TEST_CASE(
    "frames without a playout clock come when their packets arrive, and nothing of them is left for the "
    "jitter buffer") {
  Pair pair;
  std::vector<int16_t> heard;
  pair.b->begin_frames(
      [](void* user, const FrameAssembler::Frame& frame) {
        static_cast<std::vector<int16_t>*>(user)->insert(static_cast<std::vector<int16_t>*>(user)->end(),
                                                         frame.pcm, frame.pcm + frame.samples);
      },
      &heard);
  for (int i = 1; i <= 5; ++i) {
    pair.a->push(constant(4000).data(), i * kTickNs);
    pair.b->begin_tick();
    static_cast<void>(pair.b->receive(RtpSocket::Channel::rtp, i * kTickNs));
    CHECK(heard.size() == static_cast<size_t>(i) * std::tuple_size_v<Frame>);
    pair.b->tick_frames(i * kTickNs);
  }
  CHECK(std::abs(heard.back() - 4000) < 130);
  CHECK(pair.b->stats().delay_ms == 0);
  CHECK(pair.b->stats().max_delay_ms == 0);
  CHECK(pair.b->missing_due_ns() == 0);
  pair.b->end_frames();
  pair.now_ns = 5 * kTickNs;
  for (int i = 0; i < 10; ++i) pair.tick(constant(-900));
  CHECK(pair.received);
  CHECK(heard.size() == 5 * std::tuple_size_v<Frame>);
  CHECK(pair.b->stats().max_delay_ms == 40);
}

TEST_CASE("gaps in a flood are concealed for as long as an engine takes the audio, not longer") {
  auto peer = RtpSocket::open(loopback(), 0, 0);
  REQUIRE(peer);
  auto leg = make_leg(1);
  StreamMedia media;
  media.remote_rtp = loopback(peer->rtp_port());
  configure(*leg, std::move(media));
  size_t frames = 0;
  leg->begin_frames([](void* user, const FrameAssembler::Frame&) { ++*static_cast<size_t*>(user); }, &frames);
  uint8_t bytes[kRtpHeaderBytes + 160] = {};
  RtpPacket header;
  header.payload_type = 0;
  header.ssrc = 7;
  constexpr int kTicks = 10;
  for (int tick = 1; tick <= kTicks; ++tick) {
    leg->begin_tick();
    for (int i = 0; i < 32; ++i) {
      header.sequence = static_cast<uint16_t>(header.sequence + 20);
      header.timestamp += 20 * 160;
      write_rtp_header(header, bytes);
      REQUIRE(peer->send(RtpSocket::Channel::rtp, loopback(leg->local_port()), bytes, sizeof bytes));
    }
    leg->receive_all(RtpSocket::Channel::rtp, tick * kTickNs);
    leg->give_up_missing(tick * kTickNs + PacketSequencer::kMaxWaitNs);
    leg->tick_frames(tick * kTickNs);
  }
  CHECK(frames >= 50);
  CHECK(frames <= 50 + 2 * kTicks);
  CHECK(leg->frame_stats().concealed_frames <= frames);
  CHECK(leg->frame_stats().dropped_frames > 2000);
}

TEST_CASE("frames without a playout clock are silence while the peer may not be heard") {
  Pair pair;
  StreamMedia held = towards(*pair.a);
  held.receive = false;
  configure(*pair.b, std::move(held));
  int16_t loudest = 0;
  pair.b->begin_frames(
      [](void* user, const FrameAssembler::Frame& frame) {
        for (size_t i = 0; i < frame.samples; ++i)
          *static_cast<int16_t*>(user) = std::max(*static_cast<int16_t*>(user), frame.pcm[i]);
      },
      &loudest);
  for (int i = 1; i <= 15; ++i) {
    pair.a->push(constant(4000).data(), i * kTickNs);
    pair.b->begin_tick();
    pair.b->receive_all(RtpSocket::Channel::rtp, i * kTickNs);
    pair.b->tick_frames(i * kTickNs);
  }
  CHECK(loudest == 0);
  CHECK(pair.b->stats().packets_received == 15);
}

TEST_CASE("a number of digits arrives in every codec, at the clock of telephone-event") {
  for (const Codec codec : kAllCodecs) {
    Pair pair;
    for (AudioStream* stream : {pair.a.get(), pair.b.get()}) {
      StreamMedia media = towards(stream == pair.a.get() ? *pair.b : *pair.a);
      media.codecs = *StreamCodecs::make({.codecs = {{codec, 96, 96, {}}}, .packet_ms = 60});
      media.event_clock_hz = format_of(codec).clock_hz;
      configure(*stream, std::move(media));
    }
    for (int i = 0; i < 5; ++i) pair.tick(constant(100));
    CHECK(pair.a->send_digits("0044#"));
    CHECK(pair.a->send_digits("9"));
    CHECK_FALSE(pair.a->send_digits("9x"));
    std::string digits;
    for (int i = 0; i < 100; ++i) {
      pair.tick(constant(100));
      if (const auto digit = pair.b->next_digit()) digits += *digit;
    }
    CHECK(digits == "0044#9");
    CHECK(pair.received);
    CHECK(pair.b->stats().lost == 0);
  }
}

TEST_CASE("tones are digits where the peer has no telephone-event, and nothing else is") {
  for (const bool detects : {true, false}) {
    Pair pair;
    StreamMedia media = towards(*pair.a);
    media.event_receive_type = -1;
    media.detect_tones = detects;
    configure(*pair.b, std::move(media));
    std::string digits;
    for (int i = 0; i < 40; ++i) {
      Frame frame{};
      for (size_t s = 0; s < frame.size() && i / 5 % 2 == 0; ++s) {
        const double t = static_cast<double>(i * 160 + static_cast<int>(s)) / 8000 * 2 * std::numbers::pi;
        frame[s] = static_cast<int16_t>(4000 * (std::sin(770 * t) + std::sin(1336 * t)));
      }
      pair.tick(frame);
      if (const auto digit = pair.b->next_digit()) digits += *digit;
    }
    CHECK(digits == (detects ? "5555" : ""));
  }
}

// The port of a leg on the fake host, whose clock the test advances, with RTP from a socket of the test.
#include "legs/leg_port.h"

#include <doctest/doctest.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_port.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "rtp/packet.h"
#include "rtp/payload_type.h"

using namespace patchbay;
using namespace patchbay::sip_trunk;
using testing::why;
using Channel = lib::RtpSocket::Channel;

namespace {

lib::SocketAddress local(uint16_t port = 0) { return *lib::SocketAddress::parse("127.0.0.1", port); }

// A leg whose peer is a socket of the test, and the port that it is joined to.
struct JoinedLeg {
  JoinedLeg() : peer(*lib::RtpSocket::open(local(), 0, 0)), other(environment.make<testing::FakePort>(8000)) {
    lib::AudioStream::Options options;
    options.jitter = {40, 200};
    options.now_ns = environment.host().mono_ns();
    leg = std::make_unique<LegPort>(environment.host(), *lib::RtpSocket::open(local(), 0, 0), options,
                                    [](char) {});
    lib::StreamMedia media;
    media.remote_rtp = local(peer.rtp_port());
    media.remote_rtcp = local(static_cast<uint16_t>(peer.rtp_port() + 1));
    leg->configure(std::move(media));
    environment.run([this] {
      leg_port = leg->open(environment.host());
      other_port = other.open(environment.host());
    });
  }
  ~JoinedLeg() {
    leave();
    environment.run([this] { leg->close([this] { is_closed = true; }); });
    CHECK(why(environment.settle()) == "");
    CHECK(is_closed);
    CHECK(environment.problem_text() == "");
  }

  void join() {
    const auto joined = environment.call<audio::Audio>(audio::Audio::join, {leg_port, other_port, ""});
    REQUIRE(joined.ok());
    join_id = joined->join;
    advance_ms(20);
  }
  void leave() {
    if (join_id != 0) CHECK(environment.call<audio::Audio>(audio::Audio::leave, {join_id}).ok());
    join_id = 0;
  }
  void advance_ms(int64_t ms) { REQUIRE(why(environment.advance_ms(ms)) == ""); }

  void send(lib::RtpSocket& from) {
    uint8_t bytes[lib::kRtpHeaderBytes + 160];
    lib::RtpPacket header;
    header.payload_type = lib::kPcmuPayloadType;
    header.sequence = sequence++;
    header.timestamp = timestamp;
    header.ssrc = 7;
    timestamp += 160;
    lib::write_rtp_header(header, bytes);
    std::memset(bytes + lib::kRtpHeaderBytes, 0x20, 160);
    REQUIRE(from.send(Channel::rtp, local(leg->local_port()), bytes, sizeof bytes));
  }
  uint64_t received() {
    REQUIRE(why(environment.settle()) == "");
    return leg->stats().packets_received;
  }

  testing::TestEnvironment environment;
  testing::FakeAudio audio{environment};
  lib::RtpSocket peer;
  testing::FakePort& other;
  std::unique_ptr<LegPort> leg;
  Handle leg_port, other_port;
  int64_t join_id = 0;
  uint16_t sequence = 0;
  uint32_t timestamp = 0;
  bool is_closed = false;
};

}  // namespace

TEST_CASE("a leg receives a packet when it arrives, not at the next tick") {
  JoinedLeg call;
  call.join();
  call.send(call.peer);
  CHECK(call.received() == 1);  // the clock has not moved
  call.advance_ms(7);
  const int64_t now_ns = call.environment.host().mono_ns();
  for (int i = 0; i < 3; ++i) call.send(call.peer);
  CHECK(call.received() == 4);
  CHECK(call.leg->stats().last_received_ns == now_ns);
}

TEST_CASE("a flood of packets costs a limited number in each tick, and the rest is received in later ones") {
  JoinedLeg call;
  call.join();
  for (int i = 0; i < 100; ++i) call.send(call.peer);
  CHECK(call.received() == 32);
  call.advance_ms(20);
  CHECK(call.received() == 64);
  call.advance_ms(60);
  CHECK(call.received() == 100);
  call.send(call.peer);
  CHECK(call.received() == 101);
}

TEST_CASE("packets of another sender do not use up what the peer's may cost") {
  JoinedLeg call;
  call.join();
  call.send(call.peer);
  CHECK(call.received() == 1);
  auto stranger = *lib::RtpSocket::open(local(), 0, 0);
  for (int i = 0; i < 400; ++i) call.send(stranger);
  call.send(call.peer);
  CHECK(call.received() == 2);
  CHECK(call.leg->stats().packets_refused == 400);
}

TEST_CASE("a leg is read while it is joined, also for a second time") {
  JoinedLeg call;
  call.send(call.peer);
  CHECK(call.received() == 0);
  call.join();
  CHECK(call.received() == 1);
  call.leave();
  call.send(call.peer);
  CHECK(call.received() == 1);
  call.join();
  CHECK(call.received() == 2);
}

TEST_CASE("a listener without a playout clock gets each frame when it arrives, in sequence") {
  JoinedLeg call;
  {
    testing::OpenPort engine(call.environment, call.leg_port);
    engine.pull();  // takes the configuration
    REQUIRE(engine.stream(PB_PORT_UNPACED));
    for (size_t n = 1; n <= 3; ++n) {
      call.send(call.peer);
      CHECK(call.received() == n);
      CHECK(engine.streamed().size() == n * 160);  // the clock has not moved
    }
    CHECK(engine.streamed().front() != 0);

    ++call.sequence;  // a packet is lost
    call.timestamp += 160;
    call.send(call.peer);
    CHECK(call.received() == 4);
    CHECK(engine.streamed().size() == 3 * 160);
    call.advance_ms(39);
    CHECK(engine.streamed().size() == 3 * 160);
    call.advance_ms(1);
    CHECK(engine.streamed().size() == 5 * 160);

    CHECK_FALSE(engine.stream(0));
    call.send(call.peer);
    CHECK(call.received() == 5);
    CHECK(engine.streamed().size() == 5 * 160);
    bool heard = false;  // from the jitter buffer
    for (int i = 0; i < 5; ++i) heard |= engine.pull() != testing::Pcm(160);
    CHECK(heard);
  }
}

TEST_CASE("a listener with a playout clock gets frames from the jitter buffer only") {
  JoinedLeg call;
  testing::OpenPort listener(call.environment, call.leg_port);
  CHECK_FALSE(listener.stream(PB_PORT_EARLY));
  CHECK(listener.push_flags() == PB_PORT_EARLY);
}

TEST_CASE("the port keeps the rate with which it was opened") {
  JoinedLeg leg;
  CHECK(leg.leg->pull_rate_hz() == 8000);
  CHECK(leg.leg->choose_rate(48000) == 8000);
  lib::AudioStream::Options options;
  options.jitter = {40, 200};
  LegPort wide(leg.environment.host(), *lib::RtpSocket::open(local(), 0, 0), options, [](char) {});
  CHECK(wide.choose_rate(16000) == 16000);
  CHECK(wide.choose_rate(48000) == 48000);
  CHECK(wide.pull_rate_hz() == 48000);
  CHECK(wide.push_rate_hz() == 48000);
}

TEST_CASE("a re-INVITE to another codec is converted to the rate of the port") {
  JoinedLeg leg;
  leg.join();
  lib::StreamMedia media;
  media.remote_rtp = local(leg.peer.rtp_port());
  media.codecs =
      *lib::StreamCodecs::make({.codecs = {{lib::Codec::g722, 9, 9, {}}}, .packet_ms = 30, .rate_hz = 8000});
  leg.leg->configure(std::move(media));
  lib::Datagram datagram;
  while (leg.peer.receive(Channel::rtp, datagram)) continue;
  leg.advance_ms(600);
  int packets = 0;
  while (leg.peer.receive(Channel::rtp, datagram)) {
    const auto packet = lib::parse_rtp(datagram.data.data(), datagram.size);
    REQUIRE(packet);
    CHECK(packet->payload_type == 9);
    CHECK(packet->payload_bytes == 240);
    ++packets;
  }
  CHECK(packets >= 18);
  CHECK(packets <= 20);
}

TEST_CASE("digits leave as telephone-events of the peer's payload type, in order") {
  JoinedLeg leg;
  leg.join();
  CHECK_FALSE(leg.leg->can_send_digits());
  lib::StreamMedia media;
  media.remote_rtp = local(leg.peer.rtp_port());
  media.event_send_type = 110;
  leg.leg->configure(std::move(media));
  CHECK(leg.leg->can_send_digits());
  CHECK(leg.leg->send_digits("42"));
  CHECK(leg.leg->send_digits("#"));
  CHECK_FALSE(leg.leg->send_digits(std::string(62, '1')));
  lib::Datagram datagram;
  lib::TelephoneEventReceiver receiver;
  std::string digits;
  for (int i = 0; i < 50; ++i) {
    leg.advance_ms(20);
    while (leg.peer.receive(Channel::rtp, datagram)) {
      const auto packet = lib::parse_rtp(datagram.data.data(), datagram.size);
      REQUIRE(packet);
      if (packet->payload_type != 110) continue;
      if (const auto digit = receiver.add(packet->timestamp, packet->payload, packet->payload_bytes))
        digits += *digit;
    }
  }
  CHECK(digits == "42#");
}

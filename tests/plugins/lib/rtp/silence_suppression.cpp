// What a stream sends to a peer that has agreed to comfort noise (RFC 3389).
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "codec/g711.h"
#include "loopback.h"
#include "rtp/audio_stream.h"
#include "rtp/packet.h"
#include "rtp/silence_suppressor.h"
#include "support/tone.h"

using namespace patchbay::lib;
using namespace patchbay::support;

namespace {

constexpr int64_t kTickNs = 20'000'000;
constexpr uint32_t kFrame = 160;
constexpr double kHz = 1004;

struct Sent {
  uint8_t type;
  bool marker;
  uint16_t sequence;
  uint32_t timestamp;
  std::vector<uint8_t> payload;
};

// A stream, and the socket of its peer.
struct Sender {
  explicit Sender(bool suppresses = true, uint32_t packet_ms = 20) {
    AudioStream::Options options;
    options.random = 0x1111222233334444;
    options.cname = "leg";
    stream = std::make_unique<AudioStream>(*RtpSocket::open(loopback(), 0, 0), options);
    media.remote_rtp = loopback(peer.rtp_port());
    media.remote_rtcp = loopback(static_cast<uint16_t>(peer.rtp_port() + 1));
    media.codecs = *StreamCodecs::make({.codecs = {CommonCodec{}}, .packet_ms = packet_ms});
    media.event_send_type = media.event_receive_type = 101;
    media.suppress_silence = suppresses;
    stream->configure(media);
  }
  void push(const int16_t* pcm) {
    stream->push(pcm, now_ns += kTickNs);
    while (peer.receive(RtpSocket::Channel::rtp, datagram)) {
      const auto packet = parse_rtp(datagram.data.data(), datagram.size);
      REQUIRE(packet);
      sent.push_back({packet->payload_type,
                      packet->marker,
                      packet->sequence,
                      packet->timestamp,
                      {packet->payload, packet->payload + packet->payload_bytes}});
    }
  }
  // All of these sound at the time of the call, as the samples of the call's clock.
  void speak(int frames) {
    for (int i = 0; i < frames; ++i, position += kFrame)
      push(make_tone(kHz, 8000, kFrame, 8000, position).data());
  }
  void be_silent(int frames, int16_t level = 0) {
    for (int i = 0; i < frames; ++i, position += kFrame) push(std::vector<int16_t>(kFrame, level).data());
  }

  RtpSocket peer = *RtpSocket::open(loopback(), 0, 0);
  std::unique_ptr<AudioStream> stream;
  StreamMedia media;
  Datagram datagram;
  int64_t now_ns = 0;
  size_t position = 0;
  std::vector<Sent> sent;
};

}  // namespace

TEST_CASE("silence is described once a second, and speech begins with a marker at its time") {
  Sender call;
  call.speak(10);
  call.be_silent(110);
  call.speak(5);
  REQUIRE(call.sent.size() == 10 + 10 + 2 + 5);
  const uint32_t begin = call.sent[0].timestamp;
  for (size_t i = 0; i < call.sent.size(); ++i) {
    const Sent& packet = call.sent[i];
    CAPTURE(i);
    CHECK(packet.sequence == static_cast<uint16_t>(call.sent[0].sequence + i));
    const bool is_noise = i == 20 || i == 21;
    CHECK(packet.type == (is_noise ? 13 : 0));
    CHECK(packet.payload.size() == (is_noise ? 1 : kFrame));
    CHECK(packet.marker == (i == 0 || i == 22));
    const size_t frame = i < 20 ? i : i == 20 ? 20 : i == 21 ? 70 : 120 + (i - 22);
    CHECK(packet.timestamp == begin + frame * kFrame);
  }
  CHECK(call.sent[20].payload[0] == 127);
  // All of the first frame, beginning with its first sample.
  std::vector<uint8_t> first(kFrame);
  g711_encode(G711::mu_law, make_tone(kHz, 8000, kFrame, 8000, 120 * kFrame).data(), kFrame, first.data());
  CHECK(call.sent[22].payload == first);
}

TEST_CASE("a frame whose last sample is speech is sent whole") {
  Sender call;
  call.be_silent(20);
  std::vector<int16_t> onset(kFrame);
  onset.back() = 300;
  const size_t before = call.sent.size();
  call.push(onset.data());
  REQUIRE(call.sent.size() == before + 1);
  CHECK(call.sent.back().type == 0);
  CHECK(call.sent.back().marker);
  CHECK(call.sent.back().timestamp == call.sent.front().timestamp + 20 * kFrame);
}

TEST_CASE("pauses between words, and noise that can be heard, are sent as they are") {
  Sender call;
  for (int i = 0; i < 20; ++i) {
    call.speak(2);
    call.be_silent(10);
  }
  call.be_silent(100, 17);
  CHECK(call.sent.size() == 20 * 12 + 100);
  for (const Sent& packet : call.sent) CHECK(packet.type == 0);
}

TEST_CASE("the silence of PCMA is silence, and its level is sent") {
  Sender call;
  call.be_silent(11, 8);
  CHECK(call.sent.back().type == 13);
  CHECK(call.sent.back().payload == std::vector<uint8_t>{72});
}

TEST_CASE("silence is sent to a peer that has not agreed to comfort noise") {
  Sender call(false);
  call.be_silent(100);
  CHECK(call.sent.size() == 100);
  for (const Sent& packet : call.sent) CHECK(packet.type == 0);
  call.media.suppress_silence = true;  // it agrees by a re-INVITE
  call.stream->configure(call.media);
  call.be_silent(100);
  CHECK(call.sent.size() == 100 + 10 + 2);
}

TEST_CASE("with packets of 30 ms the noise begins where the last one ended, and speech at its own time") {
  Sender call(true, 30);
  call.speak(10);
  call.be_silent(51);
  call.speak(3);
  REQUIRE(call.sent.size() == 13 + 1 + 2);
  const uint32_t begin = call.sent[0].timestamp;
  CHECK(call.sent[12].timestamp == begin + 12 * 240);
  CHECK(call.sent[13].type == 13);
  CHECK(call.sent[13].timestamp == begin + 13 * 240);
  CHECK(call.sent[14].timestamp == begin + 61 * kFrame);
  CHECK(call.sent[14].marker);
}

TEST_CASE("a digit is sent during suppressed silence, which then begins again") {
  Sender call;
  call.be_silent(30);
  REQUIRE(call.sent.back().type == 13);
  const size_t before = call.sent.size();
  CHECK(call.stream->send_digits("5"));
  call.be_silent(40);
  CHECK(call.sent[before].type == 101);
  CHECK(call.sent[before].marker);
  CHECK(call.sent[before].timestamp == call.sent[0].timestamp + 30 * kFrame);
  CHECK(call.sent.back().type == 13);
}

TEST_CASE("a tone after suppressed silence is heard like an uninterrupted tone") {
  for (const bool suppresses : {false, true}) {
    CAPTURE(suppresses);
    Sender call(suppresses);
    AudioStream::Options options;
    options.random = 0x5555666677778888;
    options.jitter = {40, 100};
    AudioStream listener(*RtpSocket::open(loopback(), 0, 0), options);
    StreamMedia media;
    media.remote_rtp = loopback(call.stream->local_port());
    listener.configure(media);
    call.media.remote_rtp = loopback(listener.local_port());
    call.stream->configure(call.media);
    std::vector<int16_t> heard;
    const auto hear = [&](int frames, bool speaks) {
      for (int i = 0; i < frames; ++i) {
        speaks ? call.speak(1) : call.be_silent(1);
        heard.resize(heard.size() + kFrame);
        listener.pull(&heard[heard.size() - kFrame], call.now_ns);
      }
    };
    hear(50, true);
    hear(150, false);
    hear(60, true);
    CHECK(listener.stats().packets_received == (suppresses ? 50u + 10 + 3 + 60 : 260u));
    CHECK(listener.stats().lost == 0);
    CHECK(listener.stats().packets_late == 0);
    CHECK(listener.stats().delay_ms == 40);
    // The jitter buffer delays by two frames, before the silence and after it.
    CHECK(level_db(&heard[100 * kFrame], 50 * kFrame) < -90);
    CHECK(level_db(&heard[201 * kFrame], kFrame) < -90);
    CHECK(snr_db(&heard[10 * kFrame], 40 * kFrame, kHz, 8000) > 35);
    CHECK(snr_db(&heard[202 * kFrame], 40 * kFrame, kHz, 8000) > 35);
  }
}

// A whole call with baresip: SIP, SDP and RTP in both directions.
#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "caller.h"
#include "rtp/audio_stream.h"
#include "sdp/sdp.h"
#include "support/baresip_phone.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;
using namespace patchbay::lib;

namespace {

constexpr auto kTick = std::chrono::milliseconds(20);
constexpr size_t kFrame = 160;

int16_t tone(double hz, size_t sample) {
  return static_cast<int16_t>(8000 *
                              std::sin(2 * 3.14159265358979 * hz * static_cast<double>(sample) / 8000));
}

// Share of the samples' energy at this frequency, 0 to 1 (Goertzel algorithm).
double share_of(double hz, const std::vector<int16_t>& samples) {
  const double factor = 2 * std::cos(2 * 3.14159265358979 * hz / 8000);
  double before = 0, last = 0, energy = 1;
  for (int16_t sample : samples) {
    const double next = sample + factor * last - before;
    before = last;
    last = next;
    energy += static_cast<double>(sample) * sample;
  }
  const double power = last * last + before * before - factor * last * before;
  return 2 * power / (energy * static_cast<double>(samples.size()));
}

std::vector<int16_t> make_tone(double hz, size_t seconds) {
  std::vector<int16_t> out(seconds * 8000);
  for (size_t i = 0; i < out.size(); ++i) out[i] = tone(hz, i);
  return out;
}

struct Leg {
  Leg() {
    auto socket = RtpSocket::open(*SocketAddress::parse("127.0.0.1", 0), 0, 0);
    REQUIRE(socket);
    local.rtp = *SocketAddress::parse("127.0.0.1", socket->rtp_port());
    local.session_id = 1;
    AudioStream::Options options;
    options.jitter = {40, 100};
    options.random = 0x1234567812345678;
    options.cname = "test";
    leg = std::make_unique<AudioStream>(*std::move(socket), options);
  }
  void connect(const std::string& answer, const std::string& peer_ip) {
    auto remote = parse_answer(local, answer);
    REQUIRE(remote);
    StreamMedia media;
    media.remote_rtp = remote->rtp;
    media.remote_rtcp = remote->rtcp;
    media.signalling = *SocketAddress::parse(peer_ip, 0);
    media.codecs = *StreamCodecs::make({.codecs = remote->codecs, .packet_ms = packet_ms});
    media.event_send_type = remote->events.send_type;
    media.event_receive_type = remote->events.receive_type;
    leg->configure(media);
  }
  // Sends a tone and returns the audio received meanwhile.
  std::vector<int16_t> talk(double hz, int ticks) {
    std::vector<int16_t> heard;
    auto next = std::chrono::steady_clock::now();
    size_t sent = 0;
    for (int i = 0; i < ticks; ++i, next += kTick) {
      std::this_thread::sleep_until(next);
      const int64_t now_ns = next.time_since_epoch().count();
      int16_t frame[kFrame];
      if (leg->pull(frame, now_ns)) heard.insert(heard.end(), frame, frame + kFrame);
      for (int16_t& sample : frame) sample = tone(hz, sent++);
      leg->push(frame, now_ns);
    }
    return heard;
  }

  LocalMedia local;
  uint32_t packet_ms = 20;
  std::unique_ptr<AudioStream> leg;
};

}  // namespace

namespace {

// Talks to baresip with one codec. Both sides send a tone, which the other one must hear.
void talk_with_baresip(Codec codec, const std::string& name, uint32_t recorded_hz, uint32_t packet_ms) {
  TempFolder folder;
  REQUIRE(write_wav(folder.file("phone.wav"), make_tone(700, 20), 8000));
  auto phone = Baresip::start({.play_wav = folder.file("phone.wav"), .codecs = name});
  if (!phone) FAIL(phone.error().text);
  auto stack = start_stack();
  REQUIRE(stack);
  Leg leg;
  leg.local.codecs = {codec};
  leg.packet_ms = packet_ms;
  Caller caller;
  auto call = call_to(phone->port());
  call.number = "100";
  call.offer = write_offer(leg.local);
  auto id = (*stack)->dial(call, caller);
  REQUIRE(id);
  if (!caller.wait_answered()) FAIL(phone->output());
  leg.connect(caller.answer(), caller.peer_ip());

  const auto heard = leg.talk(1100, 150);
  CAPTURE(name);
  CAPTURE(phone->output());
  CAPTURE(leg.leg->stats().packets_refused.load());
  CHECK(heard.size() > 100 * kFrame);
  CHECK(share_of(700, heard) > 0.8);
  CHECK(leg.leg->stats().packets_received > 100);
  CHECK(leg.leg->stats().lost < 5);

  (*stack)->hangup(*id);
  CHECK(caller.wait_ended().reason == EndReason::local_hangup);
  CHECK(wait_no_handles(**stack));
  const auto recorded = phone->heard();
  CHECK(recorded.size() > recorded_hz);
  CHECK(share_of(1100 * 8000.0 / recorded_hz, recorded) > 0.6);
  if (recorded.empty()) MESSAGE(phone->output());
}

}  // namespace

TEST_CASE("baresip hears us and we hear baresip") {
  talk_with_baresip(Codec::pcmu, "PCMU/8000/1,PCMA/8000/1", 8000, 20);
}

TEST_CASE("baresip hears us and we hear baresip with G.722") {
  talk_with_baresip(Codec::g722, "G722/16000/1", 16000, 40);
}

TEST_CASE("baresip hears us and we hear baresip with Opus") {
  talk_with_baresip(Codec::opus, "opus/48000/2", 96000, 20);  // its recording is stereo
}

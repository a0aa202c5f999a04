// One datagram of an unknown sender through the RTP and RTCP parsers, the jitter buffer, the
// decoders and the receivers of digits.
#include <cstdlib>

#include "rtp/audio_player.h"
#include "rtp/packet.h"
#include "rtp/reception_stats.h"
#include "rtp/rtcp_packet.h"
#include "rtp/telephone_event.h"
#include "rtp/tone_detector.h"

using namespace patchbay::lib;

namespace {

struct Ignore final : RtcpListener {
  void on_sender_report(uint32_t, const SenderInfo&) noexcept override {}
  void on_report_block(uint32_t, const ReportBlock&) noexcept override {}
  void on_bye(uint32_t) noexcept override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static AudioPlayer player({40, 100});
  static PacketDecoder decoder =
      *PacketDecoder::make({{Codec::opus, 96, 96, {}}, {Codec::g722, 9, 9, {}}}, 16000);
  static ReceptionStats reception;
  static TelephoneEventReceiver digits;
  Ignore ignore;
  (void)parse_rtcp(data, size, ignore);
  const auto packet = parse_rtp(data, size);
  if (!packet) return 0;
  if (packet->payload < data || packet->payload + packet->payload_bytes > data + size) std::abort();
  (void)reception.add(packet->sequence, packet->timestamp, static_cast<uint32_t>(size));
  (void)digits.add(packet->timestamp, packet->payload, packet->payload_bytes);
  static int16_t pcm[AudioPlayer::kMaxFrameSamples];
  player.put(*packet, decoder);
  (void)player.get(decoder, 16000, pcm);
  static ToneDetector tones = [] {
    ToneDetector made;
    made.restart(16000);
    return made;
  }();
  (void)tones.add(pcm, 320);
  return 0;
}

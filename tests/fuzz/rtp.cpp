// One datagram of an unknown sender through the RTP and RTCP parsers, the jitter buffer and the digit
// receiver.
#include <cstdlib>

#include "rtp/jitter_buffer.h"
#include "rtp/packet.h"
#include "rtp/reception_stats.h"
#include "rtp/rtcp_packet.h"
#include "rtp/telephone_event.h"

using namespace patchbay::lib;

namespace {

struct Ignore final : RtcpListener {
  void on_sender_report(uint32_t, const SenderInfo&) noexcept override {}
  void on_report_block(uint32_t, const ReportBlock&) noexcept override {}
  void on_bye(uint32_t) noexcept override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static JitterBuffer buffer({40, 100});
  static ReceptionStats reception;
  static TelephoneEventReceiver digits;
  Ignore ignore;
  (void)parse_rtcp(data, size, ignore);
  const auto packet = parse_rtp(data, size);
  if (!packet) return 0;
  if (packet->payload < data || packet->payload + packet->payload_bytes > data + size) std::abort();
  (void)reception.add(packet->sequence, packet->timestamp, static_cast<uint32_t>(size));
  (void)digits.add(packet->timestamp, packet->payload, packet->payload_bytes);
  int16_t pcm[JitterBuffer::kFrameSamples] = {};
  for (size_t i = 0; i < packet->payload_bytes && i < 160; ++i) pcm[i] = packet->payload[i];
  buffer.put(packet->timestamp, pcm, packet->payload_bytes % 161);
  (void)buffer.get(pcm);
  return 0;
}

// A call of the bare loop: LoopWork::convert.
#include <patchbay/base64.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "bench/calls/loop_call.h"
#include "client_message.h"
#include "codec/g711.h"
#include "resampler/resampler.h"
#include "rtp/packet.h"
#include "support/chained_json.h"

namespace patchbay::bench {
namespace {

lib::Resampler resampler(uint32_t from_hz, uint32_t to_hz) {
  auto made = lib::Resampler::create(from_hz, to_hz);
  if (!made) {
    std::fprintf(stderr, "bare loop: %s\n", made.error().text.c_str());
    std::exit(1);
  }
  return *std::move(made);
}

class BareCall final : public LoopCall {
 public:
  using LoopCall::LoopCall;

 private:
  void on_packet(const uint8_t* datagram, size_t bytes) override {
    const auto packet = lib::parse_rtp(datagram, bytes);
    if (!packet || packet->payload_bytes != kNarrowSamples) return;
    std::array<int16_t, kNarrowSamples> narrow;
    std::array<int16_t, kWideSamples> wide;
    lib::g711_decode(lib::G711::mu_law, packet->payload, kNarrowSamples, narrow.data());
    const uint32_t count = up_.process(narrow.data(), kNarrowSamples, wide.data(), kWideSamples);
    engine_gemini::write_audio(text_, wide.data(), count);
    mask(frame_, text_);
    write(frame_);
  }

  uint64_t on_message(std::string_view json) override {
    const auto document = support::JsonDocument::parse(json, 1u << 20);
    if (!document) return 0;
    const auto parts = document->root()["serverContent"]["modelTurn"]["parts"];
    pcm_ = from_base64(parts.at(0)["inlineData"]["data"].string()).value_or("");
    uint64_t frames = 0;
    std::array<int16_t, kEngineSamples> wide;
    std::array<int16_t, kNarrowSamples> narrow;
    for (size_t at = 0; at + sizeof wide <= pcm_.size(); at += sizeof wide, ++frames) {
      std::memcpy(wide.data(), pcm_.data() + at, sizeof wide);
      narrow.fill(0);
      down_.process(wide.data(), kEngineSamples, narrow.data(), kNarrowSamples);
      send_packet(narrow);
    }
    return frames;
  }

  void send_packet(const std::array<int16_t, kNarrowSamples>& samples) {
    lib::RtpPacket header;
    header.sequence = ++sequence_;
    header.timestamp = sequence_ * 160u;
    std::array<uint8_t, lib::kRtpHeaderBytes + kNarrowSamples> packet;
    lib::write_rtp_header(header, packet.data());
    lib::g711_encode(lib::G711::mu_law, samples.data(), kNarrowSamples, packet.data() + lib::kRtpHeaderBytes);
    send(packet.data(), packet.size());
  }

  lib::Resampler up_ = resampler(8000, 16000), down_ = resampler(24000, 8000);
  uint16_t sequence_ = 0;
  std::string text_, frame_, pcm_;
};

}  // namespace

std::unique_ptr<LoopCall> make_bare_call(size_t number, const LoopPeers& peers) {
  return std::make_unique<BareCall>(number, peers);
}

}  // namespace patchbay::bench

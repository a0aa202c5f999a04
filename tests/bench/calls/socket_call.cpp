// A call whose work is sockets and TLS alone: LoopWork::none.
#include <array>

#include "bench/calls/loop_call.h"
#include "client_message.h"
#include "rtp/packet.h"

namespace patchbay::bench {
namespace {

class SocketCall final : public LoopCall {
 public:
  SocketCall(size_t number, const LoopPeers& peers) : LoopCall(number, peers) {
    const std::array<int16_t, kWideSamples> silence{};
    std::string text;
    engine_gemini::write_audio(text, silence.data(), silence.size());
    mask(frame_, text);
    lib::write_rtp_header({}, packet_.data());
  }

 private:
  void on_packet(const uint8_t*, size_t) override { write(frame_); }
  uint64_t on_message(std::string_view json) override {
    if (json.size() < frame_.size()) return 0;  // no audio of 20 ms, which is longer in this direction
    send(packet_.data(), packet_.size());
    return 1;
  }

  std::string frame_;
  std::array<uint8_t, lib::kRtpHeaderBytes + kNarrowSamples> packet_{};
};

}  // namespace

std::unique_ptr<LoopCall> make_socket_call(size_t number, const LoopPeers& peers) {
  return std::make_unique<SocketCall>(number, peers);
}

}  // namespace patchbay::bench

// VoicePort: an audio port that plays and records: the plugin's side of a call.
//
//   VoicePort voice_{host()};
//   audio_.call(audio::Audio::join, {answered.port, voice_.open(host()), call_id}, ...);
//   voice_.player().play(greeting, [this] {
//     voice_.recorder().start(60'000, [this](Wav message) { ... });
//   });
#pragma once

#include "audio.h"
#include "player.h"
#include "recorder.h"

namespace patchbay {

// Main strand; must live until close() has called done(), as every AudioPort. Its join ends when either port
// closes, so that a call that ends needs only close().
class VoicePort final : public AudioPort {
 public:
  // `rate_hz`: 8000, 16000, 24000, 32000 or 48000, of what is played and recorded.
  explicit VoicePort(const Host& host, uint32_t rate_hz = 16000)
      : rate_hz_(rate_hz), player_(host), recorder_(host, rate_hz) {}

  uint32_t rate_hz() const noexcept { return rate_hz_; }
  Player& player() noexcept { return player_; }
  Recorder& recorder() noexcept { return recorder_; }

  uint32_t pull_rate_hz() const noexcept override { return rate_hz_; }
  uint32_t push_rate_hz() const noexcept override { return rate_hz_; }
  void pull(pb_frame& out) noexcept override { player_.pull(out); }
  void push(const pb_frame& in) noexcept override { recorder_.push(in); }

 private:
  uint32_t rate_hz_;
  Player player_;
  Recorder recorder_;
};

}  // namespace patchbay

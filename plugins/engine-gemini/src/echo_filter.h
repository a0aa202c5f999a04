// EchoFilter: recognises transcriptions that are not new speech: those that a resumed session repeats, and
// our own texts, which the server may transcribe as the caller's speech. Pure logic on a millisecond clock.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace patchbay::engine_gemini {

class EchoFilter {
 public:
  // We have sent `text` to the model.
  void sent(int64_t now_ms, const std::string& text);
  // A session was resumed: transcriptions count as replayed for a while, until either side speaks.
  void resumed(int64_t now_ms);
  void speech_heard() { replay_until_ms_ = 0; }

  bool is_replay(int64_t now_ms) const { return now_ms < replay_until_ms_; }
  // Returns whether a transcription of the caller repeats a text that we have sent.
  bool is_echo(int64_t now_ms, const std::string& text) const;

 private:
  int64_t replay_until_ms_ = 0;
  std::deque<std::pair<int64_t, std::string>>
      recent_sent_texts_;  // with the time until which they may return
};

}  // namespace patchbay::engine_gemini

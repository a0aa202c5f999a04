// Makes the turns of a transcript from an engine's reports. Pure logic; times are milliseconds given by the
// caller.
//
// Fragments arrive incrementally, late, and in any order relative to the audio. If the caller interrupts, the
// AI's text is cut to what was played, at a word boundary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::ai_voice {

struct TranscriptTurn {
  enum class Speaker { caller, ai };
  Speaker speaker = Speaker::caller;
  std::string text;   // trimmed
  int64_t ts_ms = 0;  // of its first fragment
};

struct NumberedTurn {
  size_t number = 0;  // position in the transcript, unique
  TranscriptTurn turn;
};

class TranscriptBuilder {
 public:
  void user_text(int64_t now_ms, std::string_view fragment);
  void ai_text(int64_t now_ms, std::string_view fragment);
  void ai_audio(int64_t now_ms);  // the first audio of a turn
  void tool_call(int64_t now_ms);
  void turn_complete(int64_t now_ms);
  void interrupted(int64_t now_ms, int64_t received_ms, int64_t played_ms);
  void dtmf(int64_t now_ms, std::string_view digits);
  void close_turns(int64_t now_ms);  // when the call ends, for any reason

  std::vector<TranscriptTurn> turns() const;  // turns with text, open ones included
  // Returns the closed turns that are new or have changed since the last call. Those that have never had a
  // text are left out; the text of a cut turn may be "".
  std::vector<NumberedTurn> take_closed();
  int input_turns() const;                            // closed caller turns with text
  int output_turns() const { return output_turns_; }  // closed AI turns with audio
  // Size of all received text, including text that was cut later, plus an overhead per turn.
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  struct Entry {
    TranscriptTurn turn;
    std::string last_fragment;
    int64_t closed_ms = -1;
    bool has_audio = false;
    bool taken = false;     // checked by take_closed() since its last change
    bool returned = false;  // by take_closed(), at any time
  };

  Entry& open_caller(int64_t now_ms);
  Entry& open_ai(int64_t now_ms);
  void close_caller(int64_t now_ms);
  void close_ai(int64_t now_ms);
  void append(Entry& entry, std::string_view fragment);
  void changed(size_t at) { first_changed_ = std::min(first_changed_, at); }

  std::vector<Entry> entries_;
  size_t caller_ = kNone;  // the open turn of each side, an index into entries_
  size_t ai_ = kNone;
  size_t last_caller_ = kNone;
  size_t last_ai_ = kNone;
  size_t first_changed_ = 0;  // take_closed() has returned all turns before it
  size_t bytes_ = 0;
  int output_turns_ = 0;
};

// Returns the beginning of the text: the share played / received of its characters, cut to whole words.
std::string cut_to_share(std::string_view text, int64_t played, int64_t received);

}  // namespace patchbay::ai_voice

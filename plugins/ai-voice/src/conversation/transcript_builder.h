// Makes the turns of a transcript from what an engine reports. Pure logic; times are the caller's
// milliseconds.
//
// Fragments come incrementally, late and in any order against the audio. The AI's text is cut to what was
// really played when it was interrupted, at a word border.
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
  size_t number = 0;  // its place; never another's
  TranscriptTurn turn;
};

class TranscriptBuilder {
 public:
  void user_text(int64_t now_ms, std::string_view fragment);
  void ai_text(int64_t now_ms, std::string_view fragment);
  void ai_audio(int64_t now_ms);  // the first of a turn
  void tool_call(int64_t now_ms);
  void turn_complete(int64_t now_ms);
  void interrupted(int64_t now_ms, int64_t received_ms, int64_t played_ms);
  void dtmf(int64_t now_ms, std::string_view digits);
  void finish(int64_t now_ms);  // closes what is open, on every way out

  std::vector<TranscriptTurn> turns() const;  // those with text, open ones too
  // Closed turns that are new or have changed since the last call. The text of one that was cut can be "".
  std::vector<NumberedTurn> take_closed();
  int input_turns() const;                            // closed caller turns with text
  int output_turns() const { return output_turns_; }  // closed AI turns with audio
  // Of all text that came, also of what was cut since, and something for each turn.
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  struct Entry {
    TranscriptTurn turn;
    std::string last_fragment;
    int64_t closed_ms = -1;
    bool has_audio = false;
    bool taken = false;  // by take_closed(), as it stands
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
  size_t first_changed_ = 0;  // nothing before it is to be taken
  size_t bytes_ = 0;
  int output_turns_ = 0;
};

// At most the share played/received of the text's characters, back to the end of a whole word.
std::string cut_to_share(std::string_view text, int64_t played, int64_t received);

}  // namespace patchbay::ai_voice

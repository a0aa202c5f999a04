#include "conversation/transcript_builder.h"

#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include <algorithm>
#include <utility>

#include "conversation/limits.h"

namespace patchbay::ai_voice {

std::string cut_to_share(std::string_view text, int64_t played, int64_t received) {
  if (played >= received || received <= 0) return std::string(trim(text));
  if (played <= 0) return {};
  auto characters = std::count_if(text.begin(), text.end(), starts_character);
  int64_t kept = characters * played / received;
  size_t end = 0;
  while (end < text.size() && (kept > 0 || !starts_character(text[end])))
    kept -= starts_character(text[end++]) ? 1 : 0;
  if (end < text.size() && !is_blank(text[end]))
    while (end > 0 && !is_blank(text[end - 1])) --end;
  return std::string(trim(text.substr(0, end)));
}

TranscriptBuilder::Entry& TranscriptBuilder::open_caller(int64_t now_ms) {
  if (caller_ != kNone) return entries_[caller_];
  // A late fragment belongs to the caller's last turn, which the answer refers to.
  if (last_caller_ != kNone && now_ms - entries_[last_caller_].closed_ms < kLateFragmentMs)
    return entries_[last_caller_];
  size_t at = entries_.size();
  int64_t ts_ms = now_ms;
  if (ai_ != kNone && ai_ + 1 == at && now_ms - entries_[ai_].turn.ts_ms < kLateFragmentMs) {
    // Inserts the late turn before the AI's turn, which answers it.
    at = ai_++;
    ts_ms = entries_[at].turn.ts_ms;
    if (last_ai_ != kNone && last_ai_ >= at) ++last_ai_;
  }
  Entry entry;
  entry.turn = {TranscriptTurn::Speaker::caller, {}, ts_ms};
  entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(at), std::move(entry));
  bytes_ += kTurnOverheadBytes;
  changed(at);
  caller_ = last_caller_ = at;
  if (ai_ != kNone) {  // late: the AI is already answering
    entries_[at].closed_ms = now_ms;
    caller_ = kNone;
  }
  return entries_[at];
}

TranscriptBuilder::Entry& TranscriptBuilder::open_ai(int64_t now_ms) {
  if (ai_ != kNone) return entries_[ai_];
  Entry entry;
  entry.turn = {TranscriptTurn::Speaker::ai, {}, now_ms};
  entries_.push_back(std::move(entry));
  bytes_ += kTurnOverheadBytes;
  ai_ = last_ai_ = entries_.size() - 1;
  return entries_[ai_];
}

void TranscriptBuilder::append(Entry& entry, std::string_view fragment) {
  std::string& text = entry.turn.text;
  entry.taken = false;
  changed(static_cast<size_t>(&entry - entries_.data()));
  bytes_ += fragment.size() + kFragmentOverheadBytes;
  if (fragment.size() >= kMinRepeatedBytes && fragment == entry.last_fragment) return;
  // An engine may send the whole text of the turn again with each fragment.
  bool cumulative =
      text.size() >= kMinRepeatedBytes && fragment.size() > text.size() && fragment.starts_with(text);
  if (cumulative)
    text = fragment;
  else
    text += fragment;
  entry.last_fragment = fragment;
}

void TranscriptBuilder::user_text(int64_t now_ms, std::string_view fragment) {
  if (!trim(fragment).empty()) append(open_caller(now_ms), fragment);
}

void TranscriptBuilder::ai_text(int64_t now_ms, std::string_view fragment) {
  if (!fragment.empty()) append(open_ai(now_ms), fragment);
}

void TranscriptBuilder::ai_audio(int64_t now_ms) {
  close_caller(now_ms);
  open_ai(now_ms).has_audio = true;
}

void TranscriptBuilder::tool_call(int64_t now_ms) { close_caller(now_ms); }

void TranscriptBuilder::turn_complete(int64_t now_ms) {
  close_caller(now_ms);
  close_ai(now_ms);
}

void TranscriptBuilder::interrupted(int64_t now_ms, int64_t received_ms, int64_t played_ms) {
  close_ai(now_ms);
  if (last_ai_ == kNone) return;
  std::string& text = entries_[last_ai_].turn.text;
  entries_[last_ai_].taken = false;
  changed(last_ai_);
  text = cut_to_share(text, played_ms, received_ms);
}

void TranscriptBuilder::dtmf(int64_t now_ms, std::string_view digits) {
  close_caller(now_ms);
  last_caller_ = kNone;
  Entry entry;
  entry.turn = {TranscriptTurn::Speaker::caller, "[DTMF " + std::string(digits) + "]", now_ms};
  entry.closed_ms = now_ms;
  bytes_ += kTurnOverheadBytes + digits.size();
  entries_.push_back(std::move(entry));
}

void TranscriptBuilder::close_turns(int64_t now_ms) { turn_complete(now_ms); }

void TranscriptBuilder::close_caller(int64_t now_ms) {
  if (caller_ == kNone) return;
  entries_[caller_].closed_ms = now_ms;
  caller_ = kNone;
}

void TranscriptBuilder::close_ai(int64_t now_ms) {
  if (ai_ == kNone) return;
  entries_[ai_].closed_ms = now_ms;
  if (entries_[ai_].has_audio) ++output_turns_;
  ai_ = kNone;
}

std::vector<TranscriptTurn> TranscriptBuilder::turns() const {
  std::vector<TranscriptTurn> out;
  for (const auto& entry : entries_) {
    TranscriptTurn turn{entry.turn.speaker, std::string(trim(entry.turn.text)), entry.turn.ts_ms};
    if (!turn.text.empty()) out.push_back(std::move(turn));
  }
  return out;
}

std::vector<NumberedTurn> TranscriptBuilder::take_closed() {
  std::vector<NumberedTurn> out;
  size_t open = entries_.size();  // the first turn to check again
  for (size_t i = first_changed_; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.closed_ms < 0) open = std::min(open, i);
    if (entry.closed_ms < 0 || std::exchange(entry.taken, true)) continue;
    const std::string_view text = trim(entry.turn.text);
    if (text.empty() && !entry.returned) continue;
    entry.returned = true;
    out.push_back({i, {entry.turn.speaker, std::string(text), entry.turn.ts_ms}});
  }
  first_changed_ = open;
  return out;
}

int TranscriptBuilder::input_turns() const {
  return static_cast<int>(std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.turn.speaker == TranscriptTurn::Speaker::caller && entry.closed_ms >= 0 &&
           !trim(entry.turn.text).empty();
  }));
}

}  // namespace patchbay::ai_voice

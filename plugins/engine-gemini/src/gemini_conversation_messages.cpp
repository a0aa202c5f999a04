// GeminiConversation: handles the server's messages.
#include <patchbay/text.h>
#include <patchbay/utf8.h>

#include <cstring>

#include "gemini_conversation.h"

namespace patchbay::engine_gemini {
namespace {

constexpr int kMaxUnreadable = 3;   // in a row
constexpr int kLateAudioMs = 2000;  // audio of an interrupted turn may still arrive for this time
constexpr size_t kMaxHistoryBytes = 6000;
constexpr size_t kMaxToolCalls = 1000;

}  // namespace

void GeminiConversation::receive(std::string_view bytes) {
  if (state_ == State::closed) return;
  auto read = parse_server_message(options_.json, bytes);
  if (!read) {
    if (++unreadable_ >= kMaxUnreadable) start_fresh("unreadable messages: " + read.error().text);
    return;
  }
  unreadable_ = 0;
  ServerMessage& message = *read;
  if (message.usage) usage_.add(*message.usage);
  if (message.setup_complete) on_setup_complete();
  if (message.resumption && message.resumption->resumable && !message.resumption->handle.empty()) {
    handle_ = std::move(message.resumption->handle);
    handle_stale_ = false;
  }
  if (message.interrupted) handle_interruption();
  handle_audio(message);
  handle_texts(message);
  handle_calls(message);
  if (message.generation_complete) {
    watchdog_.generated();
    playout_.end_turn();
  }
  if (message.turn_complete) end_turn();
  if (message.go_away_ms) on_going_away(*message.go_away_ms);
  if (!message.error.empty() && state_ != State::closed) start_fresh(message.error);
}

void GeminiConversation::handle_interruption() {
  bool something = turn_open_ || !playout_.drained();
  if (turn_open_) discard_until_ms_ = now_ms() + kLateAudioMs;
  if (!something) return;
  // Plays the rest of the greeting, because the callee's "Hello?" often interrupts its first moments.
  if (first_turn_ && playout_.turn().played_ms < options_.greeting_protect_ms) {
    playout_.end_turn();
    return;
  }
  watchdog_.user_spoke(now_ms());
  auto played = playout_.flush();
  gate_.run([&] { listener_.on_interrupted({played.received_ms, played.played_ms}); });
}

void GeminiConversation::handle_audio(ServerMessage& message) {
  for (auto& part : message.audio) {
    if (now_ms() < discard_until_ms_) return;
    std::string bytes = std::move(odd_byte_) + part.bytes;
    odd_byte_ = bytes.size() % 2 != 0 ? bytes.substr(bytes.size() - 1) : std::string();
    std::vector<int16_t> samples(bytes.size() / 2);
    std::memcpy(samples.data(), bytes.data(), samples.size() * 2);
    if (samples.empty()) continue;
    if (part.rate_hz != kOutputRateHz) {
      if (part.rate_hz != resampled_rate_hz_) {
        resampled_rate_hz_ = part.rate_hz;
        resampler_ = lib::Resampler::create(static_cast<uint32_t>(part.rate_hz), kOutputRateHz);
      }
      if (!resampler_) continue;  // an unsupported rate
      samples = resampler_->process(samples);
    }
    watchdog_.audio(now_ms(), samples.data(), samples.size(), kOutputRateHz);
    farewell_.audio();
    turn_open_ = ever_audio_ = true;
    mute_replay_until_ms_ = 0;
    if (!std::exchange(turn_audio_, true)) gate_.run([this] { listener_.on_ai_audio(); });
    playout_.push(samples.data(), samples.size());
  }
}

void GeminiConversation::handle_texts(const ServerMessage& message) {
  if (!message.input_text.empty() && !is_replay_or_echo(message.input_text)) {
    // A transcription that arrives during an answer is late: the model has heard the caller already.
    if (!turn_open_ && playout_.drained()) watchdog_.user_spoke(now_ms());
    append_history("Caller", message.input_text);
    gate_.run([&] { listener_.on_user_text(message.input_text); });
  }
  if (message.output_text.empty() || now_ms() < discard_until_ms_ || now_ms() < mute_replay_until_ms_) return;
  turn_open_ = true;
  append_history("You", message.output_text);
  gate_.run([&] { listener_.on_ai_text(message.output_text); });
}

void GeminiConversation::handle_calls(const ServerMessage& message) {
  for (const auto& call : message.calls) {
    std::string id = call.id.empty() ? "unnamed-" + std::to_string(++unnamed_calls_) : call.id;
    if (known_calls_.size() >= kMaxToolCalls || !known_calls_.insert(id).second) continue;
    open_calls_[id] = {call.name, call.id};
    handle_stale_ = true;
    watchdog_.tool_called();
    report_usage();
    gate_.run([&] { listener_.on_tool_call(id, call.name, call.args_json); });
  }
  for (const auto& id : message.cancelled_calls)
    if (open_calls_.erase(id) != 0) gate_.run([&] { listener_.on_tool_cancel(id); });
}

void GeminiConversation::end_turn() {
  playout_.end_turn();
  watchdog_.turn_ended();
  farewell_.turn_complete();
  report_usage();
  bool had_audio = std::exchange(turn_audio_, false);
  if (had_audio) first_turn_ = false;
  turn_open_ = false;
  discard_until_ms_ = 0;
  odd_byte_.clear();
  gate_.run([&] { listener_.on_turn_complete(had_audio); });
}

void GeminiConversation::report_usage() {
  if (auto turn = usage_.end_turn()) gate_.run([&] { listener_.on_usage(*turn); });
}

bool GeminiConversation::is_replay_or_echo(const std::string& text) {
  if (now_ms() < mute_replay_until_ms_) return true;
  auto said = trim(text);
  for (const auto& [until_ms, ours] : our_texts_)
    if (now_ms() < until_ms && (said == ours || (said.size() >= 8 && ours.find(said) != std::string::npos)))
      return true;
  return false;
}

// Keeps the end only, because it becomes part of the system instruction of a new session.
void GeminiConversation::append_history(const char* speaker, const std::string& text) {
  if (history_speaker_ != speaker) {
    if (!history_.empty()) history_ += '\n';
    history_ += std::string(speaker) + ":";
    if (text.front() != ' ') history_ += ' ';
  }
  history_speaker_ = speaker;
  history_ += text;
  if (history_.size() <= kMaxHistoryBytes) return;
  const size_t line = history_.find('\n', history_.size() - kMaxHistoryBytes);
  size_t end = line == std::string::npos ? history_.size() - kMaxHistoryBytes : line + 1;
  while (end < history_.size() && !starts_character(history_[end])) ++end;
  history_.erase(0, end);
}

}  // namespace patchbay::engine_gemini

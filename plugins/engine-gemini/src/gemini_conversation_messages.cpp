// GeminiConversation: handles the server's messages.
#include <utility>
#include <vector>

#include "gemini_conversation.h"
#include "gemini_limits.h"

namespace patchbay::engine_gemini {

void GeminiConversation::receive(std::string_view bytes) {
  if (state_ == State::closed) return;
  auto read = reader_.read(bytes);
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

void GeminiConversation::handle_audio(const ServerMessage& message) {
  for (const auto& part : message.audio) {
    if (now_ms() < discard_until_ms_) return;
    const std::vector<int16_t> samples = model_audio_.decode(part);
    if (samples.empty()) continue;
    watchdog_.audio(now_ms(), samples.data(), samples.size(), kOutputRateHz);
    farewell_.audio();
    turn_open_ = ever_audio_ = true;
    echo_filter_.speech_heard();
    if (!std::exchange(turn_audio_, true)) gate_.run([this] { listener_.on_ai_audio(); });
    playout_.push(samples.data(), samples.size());
    count_dropped_reply();
  }
}

void GeminiConversation::count_dropped_reply() {
  const auto dropped_ms = static_cast<int64_t>(playout_.counters().dropped_samples) * 1000 / kOutputRateHz;
  stats_->reply_dropped_ms.fetch_add(dropped_ms - std::exchange(reply_dropped_ms_, dropped_ms),
                                     std::memory_order_relaxed);
}

void GeminiConversation::handle_texts(const ServerMessage& message) {
  const bool is_replay = echo_filter_.is_replay(now_ms());
  if (!message.input_text.empty() && !is_replay && !echo_filter_.is_echo(now_ms(), message.input_text)) {
    // A transcription that arrives during an answer is late: the model has heard the caller already.
    if (!turn_open_ && playout_.drained()) watchdog_.user_spoke(now_ms());
    history_.add(ConversationHistory::Speaker::caller, message.input_text);
    gate_.run([&] { listener_.on_user_text(message.input_text); });
  }
  if (message.output_text.empty() || now_ms() < discard_until_ms_ || is_replay) return;
  turn_open_ = true;
  history_.add(ConversationHistory::Speaker::model, message.output_text);
  gate_.run([&] { listener_.on_ai_text(message.output_text); });
}

void GeminiConversation::handle_calls(const ServerMessage& message) {
  for (const auto& call : message.calls) {
    const auto id = tools_.open(call);
    if (!id) continue;
    handle_stale_ = true;
    watchdog_.tool_called();
    report_usage();
    gate_.run([&] { listener_.on_tool_call(*id, call.name, call.args_json); });
  }
  for (const auto& id : message.cancelled_calls)
    if (tools_.close(id)) gate_.run([&] { listener_.on_tool_cancel(id); });
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
  model_audio_.end_turn();
  gate_.run([&] { listener_.on_turn_complete(had_audio); });
}

void GeminiConversation::report_usage() {
  if (auto turn = usage_.end_turn()) gate_.run([&] { listener_.on_usage(*turn); });
}

}  // namespace patchbay::engine_gemini

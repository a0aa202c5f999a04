#include "gemini_conversation.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "text/safe_text.h"

namespace patchbay::engine_gemini {
namespace {

constexpr int kTickMs = 50;
constexpr size_t kMaxUnsentFrames = 50;   // a second of caller audio
constexpr size_t kMaxSocketBytes = 4096;  // about 80 ms; the rest stays in unsent_, where it can be dropped
constexpr int kReplaceMarginMs = 10000;   // before the time that goAway names
constexpr int kReplaceWithinMs = 60000;   // after max_age_ms
constexpr int kReplayMs = 1500;           // a resumed session may repeat earlier transcriptions for this time
constexpr int kEchoMs = 5000;             // our text may return as a transcription for this time
constexpr int kSpeechPeak = 1000;         // a louder sample is speech of the caller, which ends kReplayMs
constexpr size_t kMaxToolResult = 16 * 1024;

lib::Playout::Options playout_options(const Options& options) {
  lib::Playout::Options out;
  out.rate_hz = GeminiConversation::kOutputRateHz;
  out.prebuffer_ms = options.prebuffer_ms;
  return out;
}

}  // namespace

std::shared_ptr<GeminiConversation> GeminiConversation::create(lib::IoThread& io, const Options& options,
                                                               std::shared_ptr<lib::EngineStats> stats,
                                                               lib::SessionConfig config,
                                                               lib::SessionListener& listener) {
  std::shared_ptr<GeminiConversation> conversation(
      new GeminiConversation(io, options, std::move(stats), std::move(config), listener));
  conversation->audio_signal_ = std::make_unique<lib::IoSignal>(io, [weak = std::weak_ptr(conversation)] {
    if (auto self = weak.lock()) {
      self->read_caller_audio();
      self->poll_farewell();
    }
  });
  conversation->playout_.on_drained([](void* signal) { static_cast<lib::IoSignal*>(signal)->notify(); },
                                    conversation->audio_signal_.get());
  return conversation;
}

GeminiConversation::GeminiConversation(lib::IoThread& io, const Options& options,
                                       std::shared_ptr<lib::EngineStats> stats, lib::SessionConfig config,
                                       lib::SessionListener& listener)
    : io_(io),
      listener_(listener),
      options_(options),
      stats_(std::move(stats)),
      config_(std::move(config)),
      family_(model_family(config_.model)),
      playout_(playout_options(options)),
      watchdog_(options.watchdog),
      reconnect_(options.reconnect),
      farewell_(options.farewell) {}

int64_t GeminiConversation::now_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void GeminiConversation::push_audio(const int16_t* samples, size_t count) noexcept {
  if (caller_.push(samples, count)) audio_signal_->notify();
}

size_t GeminiConversation::pull_audio(int16_t* out, size_t count) noexcept {
  return playout_.pull(out, count);
}

void GeminiConversation::start() {
  if (state_ != State::idle) return;
  timer_ = std::make_unique<lib::IoTimer>(io_);
  reconnect_.start(now_ms());
  connect();
  if (state_ != State::closed) arm_tick();
}

void GeminiConversation::connect() {
  connect_at_ms_ = -1;
  state_ = State::connecting;
  setup_deadline_ms_ = now_ms() + options_.setup_timeout_ms;
  lib::WebSocketOptions options;
  options.url = options_.url;
  options.headers = {{"x-goog-api-key", config_.api_key}};
  options.ca_file = options_.ca_file;
  options.verify_peer = options_.verify_peer;
  options.allow_address = options_.allow_address;
  options.connect_timeout_ms = options.handshake_timeout_ms = options_.setup_timeout_ms;
  auto weak = weak_from_this();
  lib::WebSocketCallbacks callbacks;
  callbacks.on_open = [weak] {
    if (auto self = weak.lock()) self->on_connected();
  };
  callbacks.on_message = [weak](std::string_view data, bool) {
    if (auto self = weak.lock()) self->receive(data);
  };
  callbacks.on_close = [weak](const lib::WebSocketClose& close) {
    if (auto self = weak.lock()) self->on_disconnected(close);
  };
  callbacks.on_sent = [weak] {
    if (auto self = weak.lock()) self->send_audio();
  };
  auto opened = lib::WebSocketClient::open(io_, std::move(options), std::move(callbacks));
  if (!opened) return close_with({1006, redacted(opened.error().text), false, false});
  socket_ = *std::move(opened);
}

void GeminiConversation::on_connected() {
  going_away_ = false;
  connected_ms_ = now_ms();
  SetupOptions setup;
  setup.reduced = next_.reduced;
  if (next_.kind == ReconnectStep::Kind::resume) setup.handle = handle_;
  if (announced_ && setup.handle.empty()) setup.history = history_;
  setup.silence_ms = options_.silence_ms;
  setup.prefix_padding_ms = options_.prefix_padding_ms;
  setup.compress_at_tokens = options_.compress_at_tokens;
  send(write_setup(config_, family_, setup));
}

void GeminiConversation::on_setup_complete() {
  if (state_ != State::connecting) return;
  state_ = State::ready;
  reconnect_.connected();
  unreadable_ = 0;
  bool resumed = next_.kind == ReconnectStep::Kind::resume;
  if (!resumed) handle_.clear();
  handle_stale_ = false;
  if (announced_ && resumed) {
    watchdog_.resumed();
    mute_replay_until_ms_ = now_ms() + kReplayMs;
  }
  send_audio();
  if (!announced_) {
    announced_ = true;
    gate_.run([this] { listener_.on_ready(""); });
  }
  if (begun_ && !ever_audio_ && !resumed) greeted_ = false;
  if (begun_ && !greeted_)
    greet();
  else if (!resumed && watchdog_.waiting())
    nudge("Please answer the caller.");
}

void GeminiConversation::on_disconnected(const lib::WebSocketClose& close) {
  bool in_setup = state_ == State::connecting;
  bool planned = state_ == State::replacing;
  socket_.reset();
  if (state_ == State::closed) return;
  state_ = State::idle;
  replace_by_ms_ = -1;
  if (turn_open_) end_turn();
  if (farewell_.active()) return farewell_.connection_lost();
  if (planned) {
    reconnect_.start(now_ms());
    next_ = {handle_.empty() ? ReconnectStep::Kind::fresh : ReconnectStep::Kind::resume, 0,
             reconnect_.reduced(), false};
    return connect();
  }
  std::string reason =
      close.error.empty() ? "close " + std::to_string(close.code) + " " + close.reason : close.error;
  retry_or_fail({close.code, close.http_status, in_setup}, reason);
}

void GeminiConversation::retry_or_fail(const Disconnect& disconnect, const std::string& reason) {
  if (disconnect.code == 1007) clear_unsent();  // the server may have refused the audio
  next_ = reconnect_.next(now_ms(), disconnect, !handle_.empty());
  if (next_.kind == ReconnectStep::Kind::fail)
    return close_with({disconnect.http_status != 0 ? disconnect.http_status : disconnect.code,
                       redacted(reason), next_.retryable, false});
  stats_->reconnects.fetch_add(1, std::memory_order_relaxed);
  gate_.run([&] { listener_.on_connection_lost(redacted(reason)); });
  for (auto& [id, call] : open_calls_) gate_.run([&, id = id] { listener_.on_tool_cancel(id); });
  open_calls_.clear();
  state_ = State::idle;
  connect_at_ms_ = now_ms() + next_.delay_ms;
}

void GeminiConversation::start_fresh(const std::string& reason) {
  socket_.reset();
  handle_.clear();
  if (turn_open_) end_turn();
  retry_or_fail({1011, 0, false}, reason);
}

void GeminiConversation::on_going_away(int time_left_ms) {
  if (std::exchange(going_away_, true)) return;  // reports it once
  if (replace_by_ms_ < 0)
    replace_by_ms_ =
        now_ms() + (time_left_ms > 2 * kReplaceMarginMs ? time_left_ms - kReplaceMarginMs : time_left_ms / 2);
  gate_.run([&] { listener_.on_going_away(time_left_ms); });
}

void GeminiConversation::replace_when_silent() {
  int64_t now = now_ms();
  if (replace_by_ms_ < 0 && now - connected_ms_ >= options_.max_age_ms)
    replace_by_ms_ = now + kReplaceWithinMs;
  if (replace_by_ms_ < 0 || farewell_.active() || !open_calls_.empty()) return;
  bool quiet = !turn_open_ && !watchdog_.waiting() && !handle_stale_;
  if (!quiet && now < replace_by_ms_) return;
  // Closes the old socket before it opens the new one, because two sockets on one session lead to a
  // close with 1011.
  state_ = State::replacing;
  socket_->close(1000, "rotation");
}

void GeminiConversation::arm_tick() {
  if (timer_)
    timer_->start(kTickMs, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->tick();
    });
}

void GeminiConversation::tick() {
  if (connect_at_ms_ >= 0 && now_ms() >= connect_at_ms_) connect();
  if (state_ == State::connecting && now_ms() >= setup_deadline_ms_) {
    socket_.reset();
    retry_or_fail({1006, 0, true},
                  "no setupComplete within " + std::to_string(options_.setup_timeout_ms) + " ms");
  }
  if (state_ == State::ready) check_silence();
  if (state_ == State::ready) replace_when_silent();
  poll_farewell();
  if (state_ != State::closed) arm_tick();
}

void GeminiConversation::check_silence() {
  if (farewell_.active()) return;
  switch (watchdog_.poll(now_ms(), playout_.drained())) {
    case Remedy::none:
      return;
    case Remedy::nudge:
      return ever_audio_ ? nudge("Please answer the caller.") : greet();
    case Remedy::fresh_session:
      return start_fresh("the model stays silent");
    case Remedy::give_up:
      return close_with({1011, "the model stays silent", true, false});
    case Remedy::finish_turn:
      return end_turn();
  }
}

void GeminiConversation::poll_farewell() {
  if (!farewell_.poll(now_ms(), playout_.drained())) return;
  gate_.run([this] { listener_.on_farewell_done(); });
}

void GeminiConversation::begin() {
  if (begun_) return;
  begun_ = true;
  if (state_ == State::ready) greet();
}

void GeminiConversation::greet() {
  greeted_ = true;
  watchdog_.call_answered(now_ms());
  std::string text = "The call was answered. Greet the person now.";
  if (!config_.greeting.empty()) text += " Say: " + config_.greeting;
  push_text(text, true);
}

void GeminiConversation::nudge(const char* text) { push_text(text, true); }

void GeminiConversation::push_text(const std::string& text, bool trigger) {
  if (state_ != State::ready) return;
  bool as_context = !trigger && family_.client_content;
  if (!as_context) {
    our_texts_.emplace_back(now_ms() + kEchoMs, text);  // the server may transcribe it as the caller's speech
    if (our_texts_.size() > 8) our_texts_.pop_front();
  }
  send(as_context ? write_context(text) : write_text(text));
}

void GeminiConversation::tool_result(const std::string& id, const std::string& json_object) {
  auto call = open_calls_.find(id);
  if (call == open_calls_.end() || state_ != State::ready) return;
  bool fits = json_object.size() <= kMaxToolResult;
  auto parsed = options_.json.parse(json_object);
  bool usable = fits && parsed.ok() && parsed->root().is_object();
  send(write_tool_response(call->second.wire_id, call->second.name,
                           usable ? json_object : R"({"status":"failed","message":"no usable result"})"));
  open_calls_.erase(call);
  watchdog_.tool_answered(now_ms());
}

void GeminiConversation::farewell() {
  farewell_.start(now_ms());
  watchdog_.disarm();
  if (state_ != State::ready) farewell_.connection_lost();
}

void GeminiConversation::close() { close_with({1000, "", false, true}); }

void GeminiConversation::close_with(lib::SessionClose close) {
  if (state_ == State::closed) return;
  state_ = State::closed;
  if (turn_open_) end_turn();
  report_usage();
  clear_unsent();
  stats_->reply_dropped_ms.fetch_add(
      static_cast<int64_t>(playout_.counters().dropped_samples) * 1000 / kOutputRateHz,
      std::memory_order_relaxed);
  close.dropped_ms = dropped_ms_;
  gate_.run([&] { listener_.on_closed(close); });
  socket_.reset();
  timer_.reset();
}

void GeminiConversation::cancel() {
  state_ = State::closed;
  clear_unsent();
  socket_.reset();
  timer_.reset();
  audio_signal_.reset();
}

bool GeminiConversation::send(std::string message) {
  return socket_ && socket_->send_text(std::move(message)).ok();
}

void GeminiConversation::read_caller_audio() {
  count_dropped(caller_.take_dropped_ms());
  for (const lib::CallerAudio::Frame* frame; (frame = caller_.front()); caller_.pop()) {
    if (!begun_ || state_ == State::closed) continue;
    if (unsent_.size() == kMaxUnsentFrames) drop_oldest();
    unsent_.push_back(*frame);
    stats_->queued_ms.fetch_add(lib::CallerAudio::kFrameMs, std::memory_order_relaxed);
  }
  send_audio();
}

// Leaves audio in unsent_ while the socket is busy, because the oldest can be dropped only there. Audio in a
// longer socket queue would delay everything that the caller says.
void GeminiConversation::send_audio() {
  while (state_ == State::ready && !unsent_.empty() && socket_ && socket_->queued_bytes() < kMaxSocketBytes) {
    send_frame(unsent_.front());
    unsent_.pop_front();
    stats_->queued_ms.fetch_sub(lib::CallerAudio::kFrameMs, std::memory_order_relaxed);
  }
}

void GeminiConversation::drop_oldest() {
  unsent_.pop_front();
  stats_->queued_ms.fetch_sub(lib::CallerAudio::kFrameMs, std::memory_order_relaxed);
  count_dropped(lib::CallerAudio::kFrameMs);
}

void GeminiConversation::clear_unsent() {
  stats_->queued_ms.fetch_sub(static_cast<int64_t>(unsent_.size()) * lib::CallerAudio::kFrameMs,
                              std::memory_order_relaxed);
  unsent_.clear();
}

void GeminiConversation::count_dropped(int64_t ms) {
  if (!begun_ || ms == 0) return;
  dropped_ms_ += ms;
  stats_->dropped_ms.fetch_add(ms, std::memory_order_relaxed);
}

void GeminiConversation::send_frame(const lib::CallerAudio::Frame& frame) {
  if (family_.hold_audio_in_tool && !open_calls_.empty()) return;
  if (mute_replay_until_ms_ != 0 &&
      std::any_of(frame.begin(), frame.end(), [](int16_t s) { return std::abs(s) > kSpeechPeak; }))
    mute_replay_until_ms_ = 0;
  write_audio(frame_text_, frame.data(), frame.size());
  send(frame_text_);
}

// Removes the API key, because a server may quote what it received.
std::string GeminiConversation::redacted(const std::string& text) const {
  return lib::printable(lib::without_secret(text, config_.api_key), 300);
}

}  // namespace patchbay::engine_gemini

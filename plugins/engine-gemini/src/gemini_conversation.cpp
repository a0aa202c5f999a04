#include "gemini_conversation.h"

#include "gemini_limits.h"
#include "text/safe_text.h"

namespace patchbay::engine_gemini {
namespace {

lib::Playout::Options playout_options() {
  lib::Playout::Options out;
  out.rate_hz = GeminiConversation::kOutputRateHz;
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
      caller_(options.silence_ms),
      playout_(playout_options()),
      unsent_(stats_),
      reader_(options_.json),
      watchdog_(options.watchdog),
      reconnect_(options.reconnect),
      farewell_(options.farewell) {
  playout_.on_startable(
      [](void* raw) {
        auto& self = *static_cast<GeminiConversation*>(raw);
        self.gate_.run([&] { self.listener_.on_answer_startable(); });
      },
      this);
}

void GeminiConversation::push_audio(const int16_t* samples, size_t count) noexcept {
  if (caller_.push(samples, count)) audio_signal_->notify();
}

size_t GeminiConversation::pull_audio(int16_t* out, size_t count) noexcept {
  return playout_.pull(out, count);
}

size_t GeminiConversation::pull_first_audio(int16_t* out, size_t count) noexcept {
  return playout_.pull_first(out, count);
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
  if (!opened) return close_with({1006, redact(opened.error().text), false, false});
  socket_ = *std::move(opened);
}

void GeminiConversation::on_connected() {
  SetupOptions setup;
  setup.reduced = next_.reduced;
  if (next_.kind == ReconnectStep::Kind::resume) setup.handle = handle_;
  if (announced_ && setup.handle.empty()) setup.history = history_.text();
  send(write_setup(config_, family_, setup));
}

void GeminiConversation::on_setup_complete() {
  if (state_ != State::connecting) return;
  state_ = State::ready;
  reconnect_.connected(now_ms());
  unreadable_ = 0;
  bool resumed = next_.kind == ReconnectStep::Kind::resume;
  if (!resumed) handle_.clear();
  handle_stale_ = false;
  if (announced_ && resumed) {
    watchdog_.resumed();
    echo_filter_.resumed(now_ms());
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
  if (turn_open_) end_turn();
  if (farewell_.active()) return farewell_.connection_lost();
  if (planned) {
    next_ = reconnect_.replace(now_ms(), !handle_.empty());
    return connect();
  }
  std::string reason =
      close.error.empty() ? "close " + std::to_string(close.code) + " " + close.reason : close.error;
  retry_or_fail({close.code, close.http_status, in_setup}, reason);
}

void GeminiConversation::retry_or_fail(const Disconnect& disconnect, const std::string& reason) {
  if (disconnect.code == 1007) unsent_.clear();  // the server may have refused the audio
  next_ = reconnect_.next(now_ms(), disconnect, !handle_.empty());
  if (next_.kind == ReconnectStep::Kind::fail)
    return close_with({disconnect.http_status != 0 ? disconnect.http_status : disconnect.code, redact(reason),
                       next_.retryable, false});
  stats_->reconnects.fetch_add(1, std::memory_order_relaxed);
  gate_.run([&] { listener_.on_connection_lost(redact(reason)); });
  for (const std::string& id : tools_.close_all()) gate_.run([&] { listener_.on_tool_cancel(id); });
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
  if (!reconnect_.going_away(now_ms(), time_left_ms)) return;  // reports it once
  gate_.run([&] { listener_.on_going_away(time_left_ms); });
}

void GeminiConversation::replace_when_due() {
  bool quiet = !turn_open_ && !watchdog_.waiting() && !handle_stale_;
  if (!reconnect_.replace_due(now_ms(), quiet) || farewell_.active() || !tools_.none_open()) return;
  // Closes the old socket before it opens the new one, because two sockets on one session lead to a
  // close with 1011.
  state_ = State::replacing;
  socket_->close(1000, "rotation");
}

// At multiples of kTickMs, so that the conversations of a thread tick with one wake-up.
void GeminiConversation::arm_tick() {
  if (timer_)
    timer_->start(kTickMs - static_cast<int>(now_ms() % kTickMs), [weak = weak_from_this()] {
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
  if (state_ == State::ready) replace_when_due();
  poll_farewell();
  if (state_ != State::closed) arm_tick();
}

void GeminiConversation::check_silence() {
  if (farewell_.active()) return;
  switch (watchdog_.poll(now_ms(), playout_.drained())) {
    case SilenceAction::none:
      return;
    case SilenceAction::nudge:
      return ever_audio_ ? nudge("Please answer the caller.") : greet();
    case SilenceAction::fresh_session:
      return start_fresh("the model stays silent");
    case SilenceAction::give_up:
      return close_with({1011, "the model stays silent", true, false});
    case SilenceAction::finish_turn:
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
  if (!as_context) echo_filter_.sent(now_ms(), text);
  send(as_context ? write_context(text) : write_text(text));
}

void GeminiConversation::tool_result(const std::string& id, const std::string& json_object) {
  if (state_ != State::ready) return;
  const auto call = tools_.close(id);
  if (!call) return;
  bool fits = json_object.size() <= kMaxToolResultBytes;
  auto parsed = options_.json.parse(json_object);
  bool usable = fits && parsed.ok() && parsed->root().is_object();
  send(write_tool_response(call->server_id, call->name,
                           usable ? json_object : R"({"status":"failed","message":"no usable result"})"));
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
  unsent_.clear();
  close.dropped_ms = unsent_.dropped_ms();
  gate_.run([&] { listener_.on_closed(close); });
  socket_.reset();
  timer_.reset();
}

void GeminiConversation::cancel() {
  state_ = State::closed;
  unsent_.clear();
  socket_.reset();
  timer_.reset();
  audio_signal_.reset();
}

bool GeminiConversation::send(std::string_view message) {
  return socket_ && socket_->send_text(message).ok();
}

void GeminiConversation::read_caller_audio() {
  for (const lib::CallerAudio::Frame* frame; (frame = caller_.front()); caller_.pop())
    if (begun_ && state_ != State::closed) unsent_.push(*frame);
  if (const int64_t lost_ms = caller_.take_dropped_ms(); begun_) unsent_.count_dropped(lost_ms);
  send_audio();
}

// Leaves audio in unsent_ while the socket is busy, because the oldest can be dropped only there. Audio in a
// longer socket queue would delay everything that the caller says.
void GeminiConversation::send_audio() {
  while (state_ == State::ready && unsent_.front() && socket_ && socket_->queued_bytes() < kMaxSocketBytes)
    send_next_audio();
}

// Sends all frames that wait as one message, up to kMaxFramesInMessage: one frame while the caller speaks,
// and several after a delay or in a long silence.
void GeminiConversation::send_next_audio() {
  const bool held = family_.hold_audio_in_tool && !tools_.none_open();
  samples_.clear();
  for (size_t frames = 0; frames < kMaxFramesInMessage && unsent_.front(); ++frames) {
    const lib::CallerAudio::Frame& frame = *unsent_.front();
    if (!held) {
      if (lib::CallerAudio::peak(frame) > kSpeechPeak) echo_filter_.speech_heard();
      samples_.insert(samples_.end(), frame.begin(), frame.end());
    }
    unsent_.pop();
  }
  if (samples_.empty()) return;
  write_audio(audio_text_, samples_.data(), samples_.size());
  send(audio_text_);
}

// Removes the API key, because a server may quote what it received.
std::string GeminiConversation::redact(const std::string& text) const {
  return lib::printable(lib::redact_secret(text, config_.api_key), kMaxReasonBytes);
}

}  // namespace patchbay::engine_gemini

#include "local_conversation.h"

#include <algorithm>
#include <sstream>

#include "local_limits.h"

namespace patchbay::engine_local {
namespace {

lib::Playout::Options playout_options() {
  lib::Playout::Options out;
  out.rate_hz = Synthesiser::kRateHz;
  return out;
}

std::vector<std::string> sentences_of(const std::string& text) {
  std::vector<std::string> out;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    bool ends =
        (text[i] == '.' || text[i] == '!' || text[i] == '?') && (i + 1 == text.size() || text[i + 1] == ' ');
    if (!ends && i + 1 != text.size()) continue;
    out.push_back(text.substr(start, i + 1 - start));
    start = i + 1;
  }
  return out;
}

// About 1.3 tokens per English word.
int64_t estimate_tokens(const std::string& text) {
  std::istringstream stream(text);
  int64_t words = 0;
  for (std::string word; stream >> word;) ++words;
  return (words * 13 + 9) / 10;
}

bool tool_failed(const lib::JsonParser& parser, const std::string& json) {
  if (json.size() > kMaxToolResultBytes) return true;
  const auto parsed = parser.parse(json);
  if (!parsed || !parsed->root().is_object()) return true;
  auto status = parsed->root()["status"].text();
  return parsed->root()["error"] || status == "failed" || status == "error";
}

}  // namespace

std::shared_ptr<LocalConversation> LocalConversation::create(lib::IoThread& io, Recogniser& recogniser,
                                                             Synthesiser& synthesiser, const Options& options,
                                                             std::shared_ptr<lib::EngineStats> stats,
                                                             lib::SessionConfig config,
                                                             lib::SessionListener& listener) {
  std::shared_ptr<LocalConversation> conversation(new LocalConversation(
      io, recogniser, synthesiser, options, std::move(stats), std::move(config), listener));
  conversation->audio_signal_ = std::make_unique<lib::IoSignal>(io, [weak = std::weak_ptr(conversation)] {
    if (auto self = weak.lock()) self->read_caller_audio();
  });
  return conversation;
}

LocalConversation::LocalConversation(lib::IoThread& io, Recogniser& recogniser, Synthesiser& synthesiser,
                                     const Options& options, std::shared_ptr<lib::EngineStats> stats,
                                     lib::SessionConfig config, lib::SessionListener& listener)
    : io_(io),
      recogniser_(recogniser),
      synthesiser_(synthesiser),
      listener_(listener),
      options_(options),
      stats_(std::move(stats)),
      config_(std::move(config)),
      voice_(voice_of(config_.voice)),
      models_(recogniser.use()),
      playout_(playout_options()),
      replies_(config_),
      vad_(options.vad),
      farewell_(options.farewell) {
  playout_.on_startable(
      [](void* raw) {
        auto& self = *static_cast<LocalConversation*>(raw);
        self.gate_.run([&] { self.listener_.on_answer_startable(); });
      },
      this);
}

template <class F>
auto LocalConversation::from_worker(F f) {
  return [&io = io_, weak = weak_from_this(), f](auto value) {
    io.post([weak, f, value = std::move(value)] {
      if (auto self = weak.lock(); self && !self->closed_) f(*self, value);
    });
  };
}

void LocalConversation::push_audio(const int16_t* samples, size_t count) noexcept {
  if (caller_.push(samples, count)) audio_signal_->notify();
}

size_t LocalConversation::pull_audio(int16_t* out, size_t count) noexcept {
  return playout_.pull(out, count);
}

size_t LocalConversation::pull_first_audio(int16_t* out, size_t count) noexcept {
  return playout_.pull_first(out, count);
}

void LocalConversation::start() {
  if (closed_) return;
  timer_ = std::make_unique<lib::IoTimer>(io_);
  tick();
  recogniser_.warm_up(
      from_worker([](LocalConversation& self, const Status& status) { self.on_models_loaded(status); }));
}

void LocalConversation::on_models_loaded(const Status& status) {
  if (!status) return close_with({1011, status.error().text, false, false});
  ready_ = true;
  bool english = config_.language.empty() || config_.language.rfind("en", 0) == 0;
  gate_.run([&] {
    listener_.on_ready(english ? "" : "the local engine supports English only, not " + config_.language);
  });
  if (begun_) say(replies_.greeting());
}

void LocalConversation::begin() {
  if (std::exchange(begun_, true) || !ready_) return;
  say(replies_.greeting());
}

void LocalConversation::read_caller_audio() {
  if (const int64_t lost_ms = caller_.take_dropped_ms(); begun_ && lost_ms > 0) {
    dropped_ms_ += lost_ms;
    stats_->dropped_ms.fetch_add(lost_ms, std::memory_order_relaxed);
  }
  for (const lib::CallerAudio::Frame* frame; (frame = caller_.front()); caller_.pop())
    if (begun_ && ready_ && !closed_) process_frame(*frame);
}

void LocalConversation::process_frame(const lib::CallerAudio::Frame& frame) {
  Vad::Event event = vad_.push(frame);
  if (event == Vad::Event::started)
    for (const auto& earlier : preroll_) utterance_.insert(utterance_.end(), earlier.begin(), earlier.end());
  if (vad_.speaking() || event == Vad::Event::ended) {
    utterance_.insert(utterance_.end(), frame.begin(), frame.end());
    preroll_.clear();
  } else {
    if (preroll_.size() == kPrerollFrames) preroll_.pop_front();
    preroll_.push_back(frame);
  }
  const bool engine_speaks = (speaking_ || !playout_.drained()) && !farewell_.active();
  if (barge_in_.interrupts(vad_, engine_speaks)) interrupt();
  if (event != Vad::Event::ended) return;
  barge_in_.utterance_ended();
  recogniser_.recognise(
      std::exchange(utterance_, {}),
      from_worker([](LocalConversation& self, const Recognition& result) { self.on_recognised(result); }));
}

void LocalConversation::interrupt() {
  const auto played = playout_.flush();
  gate_.run([&] { listener_.on_interrupted({played.received_ms, played.played_ms}); });
  if (speaking_) end_turn();
  ++turn_;
}

void LocalConversation::on_recognised(const Recognition& result) {
  if (farewell_.active() || !pending_tool_call_.empty()) return;
  if (!result.text.empty()) {
    usage_.prompt_tokens += estimate_tokens(result.text);
    gate_.run([&] { listener_.on_user_text(result.text); });
  }
  perform(replies_.reply(result.intent, result.text));
}

void LocalConversation::perform(const SpokenReply& reply) {
  if (reply.tool.empty()) return say(reply.text);
  pending_tool_call_ = "local-" + std::to_string(++tool_calls_);
  text_after_tool_ = reply.text;
  tool_deadline_ms_ = now_ms() + kToolTimeoutMs;
  gate_.run([&] { listener_.on_tool_call(pending_tool_call_, reply.tool, reply.args_json); });
}

void LocalConversation::tool_result(const std::string& id, const std::string& json_object) {
  if (closed_ || id != pending_tool_call_) return;
  pending_tool_call_.clear();
  say(tool_failed(options_.json, json_object) ? "I am sorry, that is not possible now." : text_after_tool_);
}

void LocalConversation::push_text(const std::string& text, bool trigger) {
  if (trigger && ready_ && !closed_) perform(replies_.reply_to_nudge(text));
}

void LocalConversation::say(const std::string& text) {
  if (text.empty() || closed_) return;
  replies_.set_last_said(text);
  unsigned turn = ++turn_;
  speaking_ = true;
  had_audio_ = false;
  auto sentences = sentences_of(text);
  if (sentences.size() > kMaxSentences) sentences.resize(kMaxSentences);
  std::vector<Synthesiser::Sentence> jobs;
  for (size_t i = 0; i < sentences.size(); ++i)
    jobs.push_back(
        {sentences[i], from_worker([turn, sentence = sentences[i], last = i + 1 == sentences.size()](
                                       LocalConversation& self, const std::vector<int16_t>& samples) {
           self.on_synthesised(turn, sentence, samples, last);
         })});
  if (synthesiser_.speak(std::move(jobs), voice_)) return;
  stats_->unsaid.fetch_add(1, std::memory_order_relaxed);
  end_turn();
}

void LocalConversation::on_synthesised(unsigned turn, const std::string& sentence,
                                       const std::vector<int16_t>& samples, bool last) {
  if (turn != turn_ || !speaking_) return;
  if (!samples.empty() && !std::exchange(had_audio_, true)) gate_.run([this] { listener_.on_ai_audio(); });
  usage_.response_tokens += estimate_tokens(sentence);
  gate_.run([&] { listener_.on_ai_text(sentence); });
  if (had_audio_) farewell_.audio();
  playout_.push(samples.data(), samples.size());
  if (last) end_turn();
}

void LocalConversation::end_turn() {
  speaking_ = false;
  playout_.end_turn();
  farewell_.turn_complete();
  usage_.total_tokens = usage_.prompt_tokens + usage_.response_tokens;
  usage_.estimated = true;
  lib::Usage usage = std::exchange(usage_, {});
  gate_.run([&] { listener_.on_usage(usage); });
  gate_.run([&] { listener_.on_turn_complete(had_audio_); });
}

void LocalConversation::farewell() {
  farewell_.start(now_ms());
  if (speaking_ || !playout_.drained()) farewell_.audio();  // the current turn may be the goodbye
}

void LocalConversation::tick() {
  if (closed_) return;
  if (!pending_tool_call_.empty() && now_ms() >= tool_deadline_ms_)
    tool_result(std::string(pending_tool_call_), "");
  if (farewell_.poll(now_ms(), playout_.drained() && !speaking_))
    gate_.run([this] { listener_.on_farewell_done(); });
  if (timer_)
    timer_->start(kTickMs, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->tick();
    });
}

void LocalConversation::close_with(lib::SessionClose close) {
  if (closed_) return;
  closed_ = true;
  playout_.end_turn();
  close.dropped_ms = dropped_ms_;
  gate_.run([&] { listener_.on_closed(close); });
  timer_.reset();
}

void LocalConversation::cancel() {
  closed_ = true;
  timer_.reset();
  audio_signal_.reset();
}

}  // namespace patchbay::engine_local

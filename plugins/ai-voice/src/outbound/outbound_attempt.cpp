#include "calls/attempt.h"

#include <algorithm>
#include <utility>

#include "calls/document.h"
#include "calls/tools.h"

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kWarnBeforeMs = 30'000;
constexpr int64_t kCommitAgainMs = 1000;
constexpr int64_t kLegEndMs = 500;
constexpr size_t kMaxTextBytes = 1u << 20;

// A disk that is full now may not be so for ever; anything else does not mend by waiting.
bool may_mend(Code code) { return code == Code::unavailable || code == Code::exhausted; }

}  // namespace

Attempt::Live::Live(const Host& host, StrandId strand)
    : leg_listener(host, strand),
      engine_listener(host, strand),
      telephony(Lease<telephony::Telephony>::query(host, strand)),
      audio(host, strand),
      transcripts(Lease<transcripts::Transcripts>::query(host, strand)),
      limit(host, strand),
      warning(host, strand),
      again(host, strand),
      leg_wait(host, strand),
      dtmf(host, strand) {}

std::shared_ptr<Attempt> Attempt::start(const Host& host, const CallTable& table, const CallMetrics& metrics,
                                        AttemptInit init, Function<void()> ended) {
  std::shared_ptr<Attempt> attempt(new Attempt(host, table, metrics, std::move(init), std::move(ended)));
  attempt->strand_.post([attempt] { attempt->begin(); });
  return attempt;
}

Attempt::Attempt(const Host& host, const CallTable& table, const CallMetrics& metrics, AttemptInit init,
                 Function<void()> ended)
    : host_(host),
      table_(table),
      metrics_(metrics),
      call_id_(init.call.call_id),
      tenant_(init.call.tenant),
      strand_(host, init.call.call_id),
      call_(init.call),
      init_(std::move(init)),
      secret_(host, init_.api_key),
      log_(Log(host).with(call_id_)),
      ended_(std::move(ended)) {}

void Attempt::cancel(Function<void()> done) {
  waiting_.push_back(std::move(done));
  strand_.post([self = shared_from_this()] { self->end(Ending::cancelled()); });
}

void Attempt::interrupt() {
  strand_.post(
      [self = shared_from_this()] { self->end(Ending::technical(self->answered(), "interrupted")); });
}

void Attempt::begin() {
  live_ = std::make_unique<Live>(host_, strand_.id());
  live_->dtmf.on_keys([this](const std::string& keys) {
    words_.dtmf(host_.wall_ms(), keys);
    keep_turns();
    live_->session.send(engine::Session::push_text, {"The caller pressed the keys " + keys + ".", true});
  });
  hear_leg();
  hear_engine();
  watch_providers();
  open_engine();
  dial();
}

void Attempt::hear_leg() {
  using telephony::LegListener;
  live_->leg_listener
      .on(LegListener::progress,
          [this](const telephony::Progress& progress) -> Result<Empty> {
            if (!progress.trunk_id.empty()) call_.trunk_id = progress.trunk_id;
            log_.info("rings", {{"sip", progress.sip_status}, {"trunk", progress.trunk_id}});
            return Empty{};
          })
      .on(LegListener::answered,
          [this](const telephony::Answered& answered) -> Result<Empty> {
            on_answered(answered);
            return Empty{};
          })
      .on(LegListener::digit,
          [this](const telephony::Digit& digit) -> Result<Empty> {
            if (!ending_) live_->dtmf.key(digit.digit);
            return Empty{};
          })
      .on(LegListener::ended, [this](const telephony::Ended& ended) -> Result<Empty> {
        on_leg_ended(ended);
        return Empty{};
      });
}

void Attempt::hear_engine() {
  using engine::Listener;
  const auto done = [this](auto f) {
    return [this, f = std::move(f)](auto message) -> Result<Empty> {
      f(message);
      keep_turns();
      return Empty{};
    };
  };
  live_->engine_listener
      .on(Listener::ready, done([this](const engine::Ready& ready) {
            engine_ready_ = true;
            log_.info("the engine is ready", {{"note", without_key(ready.note)}});
            started_when_ready();
          }))
      .on(Listener::user_words, done([this](const engine::Words& heard) {
            if (!admits(heard)) return;
            const std::string text = user_fragments_.take(heard.text);
            if (init_.log_conversation) log_.debug("heard", {{"text", text}});
            words_.user_text(heard.ts_ms, text);
          }))
      .on(Listener::ai_words, done([this](const engine::Words& said) {
            if (!admits(said)) return;
            const std::string text = ai_fragments_.take(said.text);
            if (init_.log_conversation) log_.debug("said", {{"text", text}});
            words_.ai_text(said.ts_ms, text);
          }))
      .on(Listener::ai_audio, done([this](const Empty&) { on_ai_audio(); }))
      .on(Listener::interrupted, done([this](const engine::Interrupted& cut) {
            words_.interrupted(host_.wall_ms(), cut.received_ms, cut.played_ms);
          }))
      .on(Listener::turn_complete,
          done([this](const engine::TurnComplete&) { words_.turn_complete(host_.wall_ms()); }))
      .on(Listener::tool_call, done([this](const engine::ToolCall& tool) { on_tool(tool); }))
      .on(Listener::tool_cancel, done([](const engine::ToolCall&) {}))
      .on(Listener::usage, done([this](const engine::Usage& more) { add_usage(usage_, more); }))
      .on(Listener::farewell_done, done([this](const Empty&) {
            if (!farewell_outcome_.empty()) end(Ending::talked(farewell_outcome_));
          }))
      .on(Listener::closed, done([this](const engine::Closed& closed) { on_engine_closed(closed); }));
}

void Attempt::watch_providers() {
  live_->audio.on_change([this](bool up) {
    if (up || ending_ || !joining_) return;
    join_ = 0;
    end(Ending::technical(answered(), "the media plugin has stopped"));
  });
}

void Attempt::open_engine() {
  live_->engine = Lease<engine::Engine>::open(host_, init_.engine, strand_.id());
  engine::Open open;
  open.call_id = call_id_;
  open.tenant = tenant_;
  open.model = call_.model;
  open.voice = call_.voice;
  open.language = call_.language;
  open.system_prompt = call_.system_prompt;
  open.api_key = init_.api_key;
  open.greeting = init_.greeting;
  open.tools = std::string(call_tools());
  open.listener = live_->engine_listener.handle();
  open.correlation = call_id_;
  ++replies_due_;
  live_->engine.call(engine::Engine::open, open, [this](const Result<engine::Opened>& opened) {
    --replies_due_;
    if (!opened)
      return end(Ending::technical(answered(), "the AI engine cannot be used: " + opened.error().text));
    live_->session = Lease<engine::Session>::open(host_, opened->session, strand_.id());
    live_->session_gone = EndWatch(
        host_, opened->session,
        [this] {
          if (!std::exchange(session_over_, true))
            end(Ending::technical(answered(), "the plugin of the AI engine has stopped"));
        },
        strand_.id());
    engine_port_ = opened->port;
    if (ending_) {
      live_->session.send(engine::Session::close, {});
      return settle();
    }
    join_when_both();
    started_when_ready();
  });
}

void Attempt::dial() {
  telephony::Dial dial;
  dial.call_id = call_id_;
  dial.attempt = call_.attempt;
  dial.tenant = tenant_;
  dial.number = call_.phone;
  dial.display_name = call_.display_name;
  dial.ring_timeout_ms = init_.ring_timeout_ms;
  dial.listener = live_->leg_listener.handle();
  dial.correlation = call_id_;
  ++replies_due_;
  live_->telephony.call(telephony::Telephony::dial, dial, [this](const Result<telephony::Dialled>& dialled) {
    --replies_due_;
    if (!dialled) {
      leg_over_ = true;
      return end(Ending::technical(false, dialled.error().text));
    }
    live_->leg = Lease<telephony::Leg>::open(host_, dialled->leg, strand_.id());
    live_->leg_gone = EndWatch(
        host_, dialled->leg,
        [this] {
          if (std::exchange(leg_over_, true)) return;
          awaits_leg_ = false;
          end(Ending::technical(answered(), "the telephony plugin has stopped"));
        },
        strand_.id());
    if (!ending_) return;
    hang_up_leg();
    settle();
  });
}

void Attempt::on_answered(const telephony::Answered& answered) {
  if (ending_) return;  // the hang-up is on its way
  call_.answered_ms = host_.wall_ms();
  call_.status = status::kInFlight;
  call_.trunk_id = answered.trunk_id;
  answer_ms_ = answered.answer_ms;
  leg_port_ = answered.port;
  answered_ns_ = host_.mono_ns();
  log_.info("answered", {{"trunk", answered.trunk_id}, {"answerMs", answered.answer_ms}});
  store_answer();
  if (!leg_port_) return end(Ending::technical(true, "the answer carried no usable media"));
  join_when_both();
  arm_limits();
}

void Attempt::store_answer() {
  Transaction tx(host_);
  table_.answered(tx, call_);
  tx.emit(call_answered(call_, answer_ms_));
  std::move(tx).commit(
      [self = shared_from_this()](const Commit& outcome) {
        if (self->ending_) return;
        self->answer_stored_ = outcome.ok();
        if (outcome) return self->started_when_ready();
        self->log_.error("the answer could not be stored", {{"why", outcome.error().text}});
        if (!may_mend(outcome.code()))
          return self->end(Ending::technical(true, "the answer could not be stored"));
        self->live_->again.after_ms(kCommitAgainMs, [raw = self.get()] {
          if (!raw->ending_) raw->store_answer();
        });
      },
      strand_.id());
}

void Attempt::on_ai_audio() {
  words_.ai_audio(host_.wall_ms());
  if (first_audio_ms_ >= 0 || answered_ns_ == 0) return;
  first_audio_ms_ = (host_.mono_ns() - answered_ns_) / 1'000'000;
  metrics_.first_audio(first_audio_ms_);
}

// Memory and the transcript are bounded, whatever an engine reports and however late.
bool Attempt::admits(const engine::Words& words) {
  if (words_.bytes() + words.text.size() <= kMaxTextBytes) return true;
  if (!ending_) end(Ending::technical(answered(), "the AI engine sent more than 1 MiB of text"));
  return false;
}

void Attempt::keep_turns() {
  if (ending_ || keeping_turns_) return;
  const auto turns = words_.take_closed();
  if (turns.empty()) return;
  Transaction tx(host_);
  for (const NumberedTurn& turn : turns) table_.keep_turn(tx, call_, turn);
  keeping_turns_ = true;
  std::move(tx).commit(
      [self = shared_from_this()](const Commit& outcome) {
        self->keeping_turns_ = false;
        if (outcome) return self->keep_turns();
        self->log_.warn("what was said could not be stored yet", {{"why", outcome.error().text}});
      },
      strand_.id());
}

void Attempt::arm_limits() {
  const int64_t limit_ms = call_.max_seconds * 1000;
  live_->limit.after_ms(limit_ms, [this] { end(Ending::talked("max-duration")); });
  if (limit_ms < 2 * kWarnBeforeMs) return;
  live_->warning.after_ms(limit_ms - kWarnBeforeMs, [this] {
    live_->session.send(engine::Session::push_text,
                        {"The call ends in 30 seconds. Come to a close and say goodbye in time.", false});
  });
}

void Attempt::join_when_both() {
  if (joining_ || !leg_port_ || !engine_port_) return;
  joining_ = true;
  ++replies_due_;
  live_->audio.call(
      audio::Audio::join, {leg_port_, engine_port_, call_id_}, [this](const Result<audio::Joined>& joined) {
        --replies_due_;
        if (!joined)
          return end(Ending::technical(true, "the audio could not be connected: " + joined.error().text));
        join_ = joined->join;
        settle();
      });
}

void Attempt::started_when_ready() {
  if (begun_ || ending_ || !engine_ready_ || !answer_stored_ || !live_->session) return;
  begun_ = true;
  live_->session.send(engine::Session::begin, {});
  Transaction tx(host_);
  tx.emit(call_started(call_));
  std::move(tx).commit(
      [log = log_](const Commit& outcome) {
        if (!outcome) log.error("call.started could not be stored", {{"why", outcome.error().text}});
      },
      strand_.id());
}

void Attempt::on_tool(const engine::ToolCall& tool) {
  words_.tool_call(host_.wall_ms());
  const ToolAnswer answer = answer_tool(tool.name);
  log_.info("the AI calls a tool", {{"tool", lib::valid_text(tool.name)}});
  live_->session.send(engine::Session::tool_result, {tool.call, answer.result});
  if (answer.hang_up_now) return end(Ending::talked(answer.outcome));
  if (answer.outcome.empty() || !farewell_outcome_.empty()) return;
  farewell_outcome_ = answer.outcome;
  live_->session.send(engine::Session::farewell, {});
}

void Attempt::on_leg_ended(const telephony::Ended& ended) {
  leg_over_ = true;
  awaits_leg_ = false;
  if (!ended.trunk_id.empty()) call_.trunk_id = ended.trunk_id;
  log_.info("the leg has ended", {{"cause", ended.cause},
                                  {"sip", ended.sip_status},
                                  {"reason", ended.sip_reason},
                                  {"trunk", ended.trunk_id},
                                  {"earlierTrunks", ended.earlier_trunks},
                                  {"detail", ended.detail},
                                  {"rtpReceived", ended.rtp_received},
                                  {"rtpLost", ended.rtp_lost},
                                  {"rtpLate", ended.rtp_late}});
  if (ending_ && !saving_) ending_->sip_status = ended.sip_status;
  end(ending_of(ended, answered(), farewell_outcome_));
}

void Attempt::on_engine_closed(const engine::Closed& closed) {
  session_over_ = true;
  if (!closed.failed) return;
  const std::string why = without_key(closed.reason);
  log_.warn("the engine has gone", {{"why", why}});
  if (!farewell_outcome_.empty()) return end(Ending::talked(farewell_outcome_));
  end(Ending::technical(answered(), why));
}

void Attempt::end(Ending ending) {
  if (ending_) return settle();
  ending_ = std::move(ending);
  // Engines and trunks of other plugins write it too: it may hold the key, or bytes that are no text.
  ending_->error_detail = without_key(ending_->error_detail);
  ended_ms_ = host_.wall_ms();
  live_->limit.cancel();
  live_->warning.cancel();
  words_.finish(ended_ms_);
  hang_up_leg();
  if (!session_over_) live_->session.send(engine::Session::close, {});
  settle();
}

// The leg of a call that rings in silence tells only with its end which trunk was tried.
void Attempt::hang_up_leg() {
  if (leg_over_ || !live_->leg) return;
  live_->leg.send(telephony::Leg::hangup, {ending_->outcome});
  if (answered() || !call_.trunk_id.empty()) return;
  awaits_leg_ = true;
  live_->leg_wait.after_ms(kLegEndMs, [this] {
    awaits_leg_ = false;
    settle();
  });
}

void Attempt::settle() {
  if (!ending_ || replies_due_ > 0 || awaits_leg_ || std::exchange(saving_, true)) return;
  close_media([this] { save(); });
}

void Attempt::close_media(Function<void()> then) {
  if (join_ == 0) return then();
  live_->audio.call(audio::Audio::leave, {join_}, [then = std::move(then)](const Result<Empty>&) { then(); });
}

void Attempt::save() {
  const Talk talk{words_.input_turns(), words_.output_turns()};
  auto tx = std::make_unique<Transaction>(host_);
  if (!answered() || !live_->transcripts) {
    table_.finish(*tx, call_, *ending_, talk, ended_ms_);
    return commit(std::move(*tx));
  }
  call_.transcript_path = transcript_file(call_);
  table_.finish(*tx, call_, *ending_, talk, ended_ms_);
  transcripts::Save save;
  save.tx = tx->handle();
  save.document = document();
  save.call_id = call_id_;
  save.attempt = call_.attempt;
  save.tenant = tenant_;
  save.rule = "outbound: " + call_.display_name;
  save.correlation = call_id_;
  auto* held = tx.release();
  live_->transcripts.call(
      transcripts::Transcripts::save, save,
      [this, held = std::unique_ptr<Transaction>(held)](const Result<transcripts::Saved>& saved) {
        if (!saved) {
          log_.error("the transcript could not be saved", {{"why", saved.error().text}});
          metrics_.transcript_lost();
          call_.transcript_path.clear();
          Transaction without(host_);
          table_.finish(without, call_, *ending_, {words_.input_turns(), words_.output_turns()}, ended_ms_);
          return commit(std::move(without));
        }
        commit(std::move(*held));
      });
}

std::string Attempt::without_key(std::string_view text) const {
  return lib::without_secret(lib::valid_text(text), init_.api_key);
}

std::string Attempt::document() const {
  return transcript_document({call_, *ending_, usage_, words_.turns(), words_.input_turns(),
                              words_.output_turns(), call_.dispatched_ms, ended_ms_});
}

void Attempt::commit(Transaction tx) {
  std::move(tx).commit(
      [self = shared_from_this()](const Commit& outcome) {
        if (outcome) return self->finished();
        self->log_.error("the end of the attempt could not be stored", {{"why", outcome.error().text}});
        if (!may_mend(outcome.code())) return self->finished();
        self->live_->again.after_ms(kCommitAgainMs, [raw = self.get()] { raw->save(); });
      },
      strand_.id());
}

void Attempt::finished() {
  metrics_.ended(call_, *ending_);
  log_.info("the attempt has ended", {{"attempt", call_.attempt},
                                      {"outcome", ending_->outcome},
                                      {"status", status_after(call_, *ending_)},
                                      {"detail", ending_->error_detail},
                                      {"trunk", call_.trunk_id},
                                      {"sip", ending_->sip_status},
                                      {"talkSec", duration_sec(call_, ended_ms_)},
                                      {"firstAudioMs", first_audio_ms_},
                                      {"callerTurns", words_.input_turns()},
                                      {"aiTurns", words_.output_turns()}});
  live_.reset();
  strand_.close([self = shared_from_this()] {
    post(self->host_, kMainStrand, [self] {
      for (const auto& each : self->waiting_) each();
      self->ended_();
    });
  });
}

}  // namespace patchbay::ai_voice

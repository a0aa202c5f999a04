#include "outbound/outbound_attempt.h"

#include <utility>

#include "commit_failure.h"
#include "inbound/inbound_call.h"
#include "inbound/inbound_limits.h"
#include "outbound/limits.h"
#include "outbound/retry_policy.h"
#include "outbound/transcript_document.h"

namespace patchbay::ai_voice {
namespace {

ConversationInit conversation_of(const AttemptInit& init) {
  ConversationInit out;
  out.call_id = init.call.call_id;
  out.tenant = init.call.tenant;
  out.model = init.call.model;
  out.voice = init.call.voice;
  out.language = init.call.language;
  out.system_prompt = init.call.system_prompt;
  out.api_key = init.api_key;
  out.greeting = init.greeting;
  out.engine = init.engine;
  out.transfer_targets = init.transfer_users;
  out.max_seconds = init.call.max_seconds;
  out.log_conversation = init.log_conversation;
  return out;
}

}  // namespace

OutboundAttempt::Resources::Resources(const Host& host, StrandId strand, const ConversationInit& init,
                                      Conversation::Owner& owner)
    : conversation(host, strand, init, owner),
      telephony(Lease<telephony::Telephony>::query(host, strand)),
      retry(host, strand),
      leg_end_timer(host, strand) {}

std::shared_ptr<OutboundAttempt> OutboundAttempt::start(const Host& host, const CallStore& store,
                                                        const CallMetrics& metrics, AttemptEndWriter& writer,
                                                        AttemptInit init, Function<void()> ended) {
  std::shared_ptr<OutboundAttempt> attempt(
      new OutboundAttempt(host, store, metrics, writer, std::move(init), std::move(ended)));
  attempt->strand_.post([attempt] { attempt->begin(); });
  return attempt;
}

OutboundAttempt::OutboundAttempt(const Host& host, const CallStore& store, const CallMetrics& metrics,
                                 AttemptEndWriter& writer, AttemptInit init, Function<void()> ended)
    : host_(host),
      store_(store),
      metrics_(metrics),
      writer_(writer),
      call_id_(init.call.call_id),
      tenant_(init.call.tenant),
      strand_(host, init.call.call_id),
      call_(init.call),
      init_(std::move(init)),
      secret_(host, init_.api_key),
      log_(Log(host).with(call_id_)),
      on_ended_(std::move(ended)) {}

void OutboundAttempt::cancel(Function<void()> done) {
  cancel_callbacks_.push_back(std::move(done));
  strand_.post([self = shared_from_this()] { self->end_attempt(Ending::cancelled()); });
}

void OutboundAttempt::interrupt() {
  strand_.post(
      [self = shared_from_this()] { self->end_attempt(Ending::technical(self->answered(), "interrupted")); });
}

void OutboundAttempt::lose() {
  strand_.post([self = shared_from_this()] {
    if (self->ending_) return;  // then storing the end finds that it is stored
    self->log_.warn(
        "the lease of this server ran out and another server has ended the call, which is hung up");
    self->lost_ = true;
    self->end_attempt(Ending::technical(self->answered(), "interrupted"));
  });
}

void OutboundAttempt::begin() {
  resources_ = std::make_unique<Resources>(host_, strand_.id(), conversation_of(init_), *this);
  conversation().open_engine();
  if (!ending_) dial();  // ended already if the engine has crashed
}

void OutboundAttempt::dial() {
  telephony::Dial dial;
  dial.call_id = call_id_;
  dial.attempt = call_.attempt;
  dial.tenant = tenant_;
  dial.number = call_.phone;
  dial.display_name = call_.display_name;
  dial.ring_timeout_ms = init_.ring_timeout_ms;
  dial.listener = conversation().leg_listener();
  dial.correlation = call_id_;
  dialling_ = true;
  resources_->telephony.call(
      telephony::Telephony::dial, dial, [this](const Result<telephony::Dialled>& dialled) {
        dialling_ = false;
        if (!dialled) {
          conversation().set_no_leg();
          return end_attempt(Ending::technical(false, dialled.error().text));
        }
        conversation().set_leg(dialled->leg);
        resources_->leg = Lease<telephony::Leg>::open(host_, dialled->leg, strand_.id());
        if (!ending_) return;
        await_leg_end(conversation().hang_up_leg(ending_->outcome));
        save_when_drained();
      });
}

void OutboundAttempt::on_ringing(const telephony::Progress& progress) {
  if (!progress.trunk_id.empty()) call_.trunk_id = progress.trunk_id;
  log_.info("rings", {{"sip", progress.sip_status}, {"trunk", progress.trunk_id}});
}

void OutboundAttempt::on_answered(const telephony::Answered& answered) {
  call_.answered_ms = host_.wall_ms();
  call_.status = status::kInFlight;
  call_.trunk_id = answered.trunk_id;
  answer_ms_ = answered.answer_ms;
  log_.info("answered", {{"trunk", answered.trunk_id}, {"answerMs", answered.answer_ms}});
  store_answer();
  conversation().answered(answered.port);
}

void OutboundAttempt::store_answer() {
  Transaction tx(host_);
  store_.set_answered(tx, call_);
  tx.emit(call_answered(call_, answer_ms_));
  std::move(tx).commit(
      [self = shared_from_this()](const Commit& outcome) {
        if (self->ending_) return;
        if (outcome) return self->conversation().allow_begin();
        self->log_.error("the answer could not be stored", {{"why", outcome.error().text}});
        if (!is_transient_failure(outcome.code()))
          return self->end_attempt(Ending::technical(true, "the answer could not be stored"));
        self->resources_->retry.after_ms(kCommitRetryMs, [raw = self.get()] {
          if (!raw->ending_) raw->store_answer();
        });
      },
      strand_.id());
}

void OutboundAttempt::on_started() {
  talking_ = true;
  Transaction tx(host_);
  tx.emit(call_started(call_));
  std::move(tx).commit(
      [log = log_](const Commit& outcome) {
        if (!outcome) log.error("call.started could not be stored", {{"why", outcome.error().text}});
      },
      strand_.id());
}

void OutboundAttempt::on_first_audio(int64_t ms_after_answer) { metrics_.first_audio(ms_after_answer); }

// Stores the closed turns, so that a crash loses at most the turn being spoken.
void OutboundAttempt::on_turns() {
  if (ending_ || storing_turns_) return;
  const auto turns = conversation().transcript().take_closed();
  if (turns.empty()) return;
  Transaction tx(host_);
  for (const NumberedTurn& turn : turns) store_.save_turn(tx, call_, turn);
  storing_turns_ = true;
  std::move(tx).commit(
      [self = shared_from_this()](const Commit& outcome) {
        self->storing_turns_ = false;
        if (outcome) return self->on_turns();
        self->log_.warn("turns could not be stored yet", {{"why", outcome.error().text}});
      },
      strand_.id());
}

void OutboundAttempt::on_leg_ended(const telephony::Ended& ended) {
  awaits_leg_end_ = false;
  if (!ended.trunk_id.empty()) call_.trunk_id = ended.trunk_id;
  call_.rtp_received = ended.rtp_received;
  call_.rtp_lost = ended.rtp_lost;
  call_.rtp_jitter_us = ended.rtp_jitter_us;
  call_.rtp_round_trip_us = ended.rtp_round_trip_us;
  call_.rtp_far_lost_percent = ended.rtp_far_lost_percent;
  call_.rtp_delay_ms = ended.rtp_delay_ms;
  log_.info("the leg has ended", {{"cause", ended.cause},
                                  {"sip", ended.sip_status},
                                  {"reason", ended.sip_reason},
                                  {"trunk", ended.trunk_id},
                                  {"earlierTrunks", ended.earlier_trunks},
                                  {"detail", ended.detail},
                                  {"rtpReceived", ended.rtp_received},
                                  {"rtpLost", ended.rtp_lost},
                                  {"rtpLate", ended.rtp_late},
                                  {"rtpDelayMs", ended.rtp_delay_ms},
                                  {"rtpDropped", ended.rtp_dropped}});
  if (ending_ && !saving_) ending_->sip_status = ended.sip_status;
  end_attempt(ending_of_leg(ended, answered(), conversation().farewell_outcome()));
}

std::string OutboundAttempt::on_transfer(const std::string& user) {
  if (ending_ || !answered() || call_.is_transferred != 0) return "the call is transferred already";
  if (resources_->transfer) return "another transfer rings";
  if (transfers_ == kMaxTransfers) return "this call has tried " + std::to_string(transfers_) + " transfers";
  CallTransfer::Events events;
  events.on_answered = [this, user](Handle port, const std::string&) { on_transfer_answered(user, port); };
  events.on_failed = [this](const std::string& reason) { on_transfer_failed(reason); };
  events.on_digit = [this](const std::string& digit) {
    resources_->leg.send(telephony::Leg::send_digits, {digit});
  };
  events.on_ended = [this] { end_attempt(Ending::completed(kTransferred)); };
  resources_->transfer = std::make_unique<CallTransfer>(host_, strand_.id(), std::move(events));
  telephony::DialUser dial;
  dial.call_id = call_id_ + "-t" + std::to_string(++transfers_);
  dial.tenant = tenant_;
  dial.user = user;
  dial.from_number = call_.phone;
  dial.display_name = call_.display_name;
  dial.ring_timeout_ms = kTransferRingMs;
  dial.correlation = call_id_;
  log_.info("the AI transfers the callee", {{"user", user}});
  resources_->transfer->start(std::move(dial));
  return {};
}

void OutboundAttempt::on_transfer_answered(const std::string& user, Handle port) {
  if (ending_) return;
  call_.is_transferred = 1;
  log_.info("the transfer is answered", {{"user", user}});
  conversation().hand_over(port);
  Transaction tx(host_);
  store_.set_transferred(tx, call_);
  tx.emit(call_transferred(call_, user));
  std::move(tx).commit(
      [log = log_](const Commit& outcome) {
        if (!outcome) log.error("call.transferred could not be stored", {{"why", outcome.error().text}});
      },
      strand_.id());
}

void OutboundAttempt::on_transfer_failed(const std::string& reason) {
  log_.info("the transfer failed", {{"why", reason}});
  drop_transfer();
  if (!ending_)
    conversation().tell("The transfer has failed (" + lib::valid_text(reason) +
                        "). Tell the callee so, and offer something else.");
}

void OutboundAttempt::on_digit_after_transfer(const std::string& digit) {
  if (resources_->transfer) resources_->transfer->send_digit(digit);
}

// Hangs the other call up. Later, because the transfer may be calling this.
void OutboundAttempt::drop_transfer() {
  std::shared_ptr<CallTransfer> old(std::move(resources_->transfer));
  if (old) strand_.post([old] {});
}

void OutboundAttempt::on_completed(std::string_view outcome) { end_attempt(Ending::completed(outcome)); }

void OutboundAttempt::on_failed(std::string reason) {
  end_attempt(Ending::technical(answered(), std::move(reason)));
}

void OutboundAttempt::on_drained() { save_when_drained(); }

void OutboundAttempt::end_attempt(Ending ending) {
  if (ending_) return save_when_drained();
  drop_transfer();
  if (call_.is_transferred != 0 && ending.outcome != "cancelled") {
    const int64_t sip_status = ending.sip_status;
    ending = Ending::completed(kTransferred);
    ending.sip_status = sip_status;
  }
  ending_ = std::move(ending);
  // Redacts the text, because it comes from engines and trunks, which are other plugins.
  ending_->error_detail = conversation().redact(ending_->error_detail);
  ended_ms_ = host_.wall_ms();
  await_leg_end(conversation().close(ending_->outcome, ended_ms_));
  save_when_drained();
}

// Waits for the end of the leg, because only its report names the trunk that was tried, and has the quality
// of audio.
void OutboundAttempt::await_leg_end(bool hung_up) {
  if (!hung_up || (!answered() && !call_.trunk_id.empty())) return;
  awaits_leg_end_ = true;
  resources_->leg_end_timer.after_ms(kMaxLegEndMs, [this] {
    awaits_leg_end_ = false;
    save_when_drained();
  });
}

void OutboundAttempt::save_when_drained() {
  if (!ending_ || saving_ || dialling_ || !conversation().drained()) return;
  if (awaits_leg_end_ && !conversation().leg_ended()) return;
  saving_ = true;
  conversation().close_bridge([this] { save(); });
}

TurnCounts OutboundAttempt::turn_counts() {
  const TranscriptBuilder& transcript = conversation().transcript();
  return {transcript.input_turns(), transcript.output_turns()};
}

void OutboundAttempt::save() {
  if (lost_)
    return strand_.post([self = shared_from_this()] {
      self->on_saved(Error{Code::fenced, "another server has ended the call"});
    });
  EndedAttempt ended{call_, *ending_, turn_counts(), ended_ms_};
  if (answered()) ended.document = document();
  post(host_, kMainStrand, [self = shared_from_this(), ended = std::move(ended)]() mutable {
    self->writer_.write(std::move(ended), [self](const Status& stored) {
      self->strand_.post([self, stored] { self->on_saved(stored); });
    });
  });
}

std::string OutboundAttempt::document() {
  const TurnCounts turns = turn_counts();
  return transcript_document({call_, *ending_, conversation().usage(), conversation().transcript().turns(),
                              turns.input_turns, turns.output_turns, call_.dispatched_ms, ended_ms_});
}

void OutboundAttempt::on_saved(const Status& stored) {
  if (stored) report_end();
  resources_.reset();
  strand_.close([self = shared_from_this()] {
    post(self->host_, kMainStrand, [self] {
      for (const auto& each : self->cancel_callbacks_) each();
      self->on_ended_();
    });
  });
}

void OutboundAttempt::report_end() {
  const TurnCounts turns = turn_counts();
  metrics_.ended(call_, *ending_);
  log_.info("the attempt has ended", {{"attempt", call_.attempt},
                                      {"outcome", ending_->outcome},
                                      {"status", status_after(call_, *ending_)},
                                      {"detail", ending_->error_detail},
                                      {"trunk", call_.trunk_id},
                                      {"sip", ending_->sip_status},
                                      {"talkSec", duration_sec(call_, ended_ms_)},
                                      {"firstAudioMs", conversation().first_audio_ms()},
                                      {"callerTurns", turns.input_turns},
                                      {"aiTurns", turns.output_turns}});
}

}  // namespace patchbay::ai_voice

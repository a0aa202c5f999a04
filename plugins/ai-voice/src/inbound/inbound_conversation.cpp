#include "inbound/inbound_conversation.h"

#include <patchbay/random_id.h>

#include <utility>

#include "commit_failure.h"
#include "inbound/inbound_limits.h"
#include "number/number.h"
#include "outbound/attempt_end.h"
#include "outbound/limits.h"

namespace patchbay::ai_voice {

using telephony::Leg;

InboundConversation::Resources::Resources(const Host& host, StrandId strand, const ConversationInit& init,
                                          Conversation::Owner& owner)
    : conversation(host, strand, init, owner), ready_limit(host, strand), retry(host, strand) {}

std::shared_ptr<InboundConversation> InboundConversation::start(const Host& host, const InboundStore& store,
                                                                InboundEndWriter& writer, InboundInit init,
                                                                Reply<telephony::Taken> reply,
                                                                Events events) {
  std::shared_ptr<InboundConversation> call(
      new InboundConversation(host, store, writer, std::move(init), std::move(events)));
  call->strand_.post([call, reply = std::move(reply)]() mutable { call->begin(std::move(reply)); });
  return call;
}

InboundConversation::InboundConversation(const Host& host, const InboundStore& store,
                                         InboundEndWriter& writer, InboundInit init, Events events)
    : host_(host),
      store_(store),
      writer_(writer),
      call_id_(init.call.call_id),
      strand_(host, init.call.call_id),
      call_(init.call),
      init_(std::move(init)),
      secret_(host, init_.conversation.api_key),
      log_(Log(host).with(call_id_)),
      events_(std::move(events)) {}

void InboundConversation::interrupt() {
  strand_.post([self = shared_from_this()] { self->end_call("far-hangup", "interrupted"); });
}

void InboundConversation::lose() {
  strand_.post([self = shared_from_this()] {
    if (self->end_) return;  // then storing the end finds that it is stored
    self->log_.warn(
        "the lease of this server ran out and another server has ended the call, which is hung up");
    self->is_lost_ = true;
    self->end_call("far-hangup", "interrupted");
  });
}

// The reply makes this the owner of the leg, so it is sent before the leg is used.
void InboundConversation::begin(Reply<telephony::Taken> reply) {
  resources_ = std::make_unique<Resources>(host_, strand_.id(), init_.conversation, *this);
  telephony::Taken taken;
  taken.listener = conversation().leg_listener();
  reply(taken);
  conversation().set_leg(init_.offer.leg);
  resources_->leg = Lease<Leg>::open(host_, init_.offer.leg, strand_.id());
  resources_->leg.send(Leg::ring, {});
  resources_->ready_limit.after_ms(kMaxEngineReadyMs, [this] {
    if (!is_engine_ready_) end_call("far-hangup", "the AI engine was not ready in time");
  });
  conversation().open_engine();
  if (!end_) store_begin();
}

// Counts the call for the limits that servers on one database share.
void InboundConversation::store_begin() {
  is_storing_ = true;
  Transaction tx(host_);
  if (init_.max_tenant_calls > 0) store_.check_slot(tx, call_.tenant, init_.max_tenant_calls);
  store_.begin(tx, call_);
  std::move(tx).commit([self = shared_from_this()](const Commit& outcome) { self->on_begun(outcome); },
                       strand_.id());
}

void InboundConversation::on_begun(const Commit& outcome) {
  is_storing_ = false;
  is_stored_ = static_cast<bool>(outcome);
  if (end_) return save_when_drained();
  if (outcome) return answer_when_ready();
  const bool is_limit = outcome.code() == Code::conflict;
  log_.warn("the call is not answered", {{"why", outcome.error().text}});
  resources_->leg.send(Leg::reject,
                       {is_limit ? 486 : 503, is_limit ? "maxConcurrentCalls of the tenant" : ""});
  end_call("far-hangup", outcome.error().text);
}

void InboundConversation::on_engine_ready() {
  is_engine_ready_ = true;
  answer_when_ready();
}

void InboundConversation::answer_when_ready() {
  if (!is_engine_ready_ || !is_stored_ || end_ || std::exchange(is_answering_, true)) return;
  resources_->ready_limit.cancel();
  resources_->leg.send(Leg::answer, {});
}

void InboundConversation::on_answered(const telephony::Answered& answered) {
  call_.answered_ms = host_.wall_ms();
  answer_ms_ = answered.answer_ms;
  answered_ = answered;
  log_.info("answered", {{"trunk", answered.trunk_id}, {"answerMs", answered.answer_ms}});
  store_answer();
  conversation().answered(answered.port);
}

void InboundConversation::store_answer() {
  Transaction tx(host_);
  store_.set_answered(tx, call_);
  tx.emit(inbound_answered(call_, answer_ms_));
  std::move(tx).commit(
      [self = shared_from_this()](const Commit& outcome) {
        if (self->end_) return;
        if (outcome) return self->conversation().allow_begin();
        self->log_.error("the answer could not be stored", {{"why", outcome.error().text}});
        if (!is_transient_failure(outcome.code()))
          return self->end_call("far-hangup", "the answer could not be stored");
        self->resources_->retry.after_ms(kCommitRetryMs, [raw = self.get()] {
          if (!raw->end_) raw->store_answer();
        });
      },
      strand_.id());
}

void InboundConversation::on_started() {
  post(host_, kMainStrand, [self = shared_from_this()] { self->events_.talks(); });
  Transaction tx(host_);
  tx.emit(inbound_started(call_));
  std::move(tx).commit(
      [log = log_](const Commit& outcome) {
        if (!outcome) log.error("call.started could not be stored", {{"why", outcome.error().text}});
      },
      strand_.id());
}

void InboundConversation::on_first_audio(int64_t ms_after_answer) { events_.first_audio(ms_after_answer); }

// Stores the closed turns, so that a crash loses at most the turn being spoken.
void InboundConversation::on_turns() {
  if (end_ || is_storing_turns_ || !call_.keeps_transcript) return;
  const auto turns = conversation().transcript().take_closed();
  if (turns.empty()) return;
  Transaction tx(host_);
  for (const NumberedTurn& turn : turns) store_.save_turn(tx, call_, turn);
  is_storing_turns_ = true;
  std::move(tx).commit(
      [self = shared_from_this()](const Commit& outcome) {
        self->is_storing_turns_ = false;
        if (outcome) return self->on_turns();
        self->log_.warn("turns could not be stored yet", {{"why", outcome.error().text}});
      },
      strand_.id());
}

std::string InboundConversation::on_transfer(const std::string& target) {
  if (end_ || call_.is_transferred) return "the call is transferred already";
  if (is_transferring()) return "another transfer rings";
  if (transfers_ == kMaxTransfers) return "this call has tried " + std::to_string(transfers_) + " transfers";
  const auto number = lib::parse_phone(target);
  ++transfers_;
  if (number) {
    hand_to_number(*number);
  } else {
    ring_user(target);
  }
  return {};
}

// A number that is not a virtual one of the tenant, with an AI, is a telephone.
void InboundConversation::hand_to_number(const std::string& number) {
  const auto id = random_id("vnum-", 12);
  if (!id) return transfer_to_phone(number);
  NumberTransfer::Events events;
  events.on_declined = [this, number] {
    drop_transfer();
    transfer_to_phone(number);
  };
  events.on_ready = [this, number] { on_number_ready(number); };
  events.on_failed = [this](const std::string& reason) { on_transfer_failed(reason); };
  events.on_ended = [this] { end_call("", ""); };
  resources_->number_transfer =
      std::make_unique<NumberTransfer>(host_, strand_.id(), init_.offer.leg, std::move(events));
  telephony::Offer offer = init_.offer;
  offer.call_id = *id;
  offer.did = offer.number = number;
  offer.target = "number";
  offer.user = call_id_;
  resources_->number_transfer->start(init_.hand_over, std::move(offer));
}

void InboundConversation::on_number_ready(const std::string& number) {
  if (end_) return;
  call_.is_transferred = true;
  log_.info("the AI of another virtual number takes the caller", {{"number", number}});
  conversation().release_leg([this] {
    if (resources_->number_transfer) resources_->number_transfer->connect(answered_);
  });
  store_transfer(TransferTarget::number, number);
}

void InboundConversation::transfer_to_phone(const std::string& number) {
  if (end_) return;
  log_.info("the AI transfers the caller", {{"number", number}});
  if (init_.transfers_by_refer) return refer(number);
  bridge(number);
}

// The trunk makes the call, after the dial gates have allowed it.
void InboundConversation::refer(const std::string& number) {
  resources_->is_referring = true;
  telephony::Transfer request;
  request.number = number;
  request.timeout_ms = kTransferRingMs;
  resources_->leg.call(Leg::transfer, request, [this, number](const Result<telephony::Transferred>& outcome) {
    on_referred(number, outcome);
  });
}

void InboundConversation::on_referred(const std::string& number,
                                      const Result<telephony::Transferred>& outcome) {
  resources_->is_referring = false;
  if (end_) return;
  if (!outcome && outcome.error().code == Code::unsupported) return bridge(number);
  if (!outcome) return on_transfer_failed(outcome.error().text);
  if (!outcome->completed) return on_transfer_failed(outcome->detail);
  call_.is_transferred = true;
  log_.info("the trunk has transferred the caller", {{"number", number}});
  store_transfer(TransferTarget::phone, number);
  end_call("", "");
}

// The gates decide whether the number may be called at all. Its telephone shows the virtual number as the
// caller's name.
void InboundConversation::bridge(const std::string& number) {
  telephony::Dial dial;
  dial.call_id = call_id_ + "-t" + std::to_string(transfers_);
  dial.tenant = call_.tenant;
  dial.number = number;
  dial.display_name = call_.did;
  dial.ring_timeout_ms = kTransferRingMs;
  dial.correlation = call_id_;
  make_transfer(TransferTarget::phone, number).start(std::move(dial));
}

// At all telephones of the user, which show the caller.
void InboundConversation::ring_user(const std::string& user) {
  log_.info("the AI transfers the caller", {{"user", user}});
  telephony::DialUser dial;
  dial.call_id = call_id_ + "-t" + std::to_string(transfers_);
  dial.tenant = call_.tenant;
  dial.user = user;
  dial.from_number = call_.from_number;
  dial.display_name = init_.offer.display_name;
  dial.ring_timeout_ms = kTransferRingMs;
  dial.correlation = call_id_;
  make_transfer(TransferTarget::user, user).start(std::move(dial));
}

CallTransfer& InboundConversation::make_transfer(TransferTarget kind, const std::string& target) {
  CallTransfer::Events events;
  events.on_answered = [this, kind, target](Handle port, const std::string&) {
    on_transfer_answered(kind, target, port);
  };
  events.on_failed = [this](const std::string& reason) { on_transfer_failed(reason); };
  events.on_digit = [this](const std::string& digit) { resources_->leg.send(Leg::send_digits, {digit}); };
  events.on_ended = [this] { end_call("", ""); };
  resources_->transfer = std::make_unique<CallTransfer>(host_, strand_.id(), std::move(events));
  return *resources_->transfer;
}

void InboundConversation::on_transfer_answered(TransferTarget kind, const std::string& target, Handle port) {
  if (end_) return;
  call_.is_transferred = true;
  log_.info("the transfer is answered", {{"target", target}});
  conversation().hand_over(port);
  store_transfer(kind, target);
}

void InboundConversation::store_transfer(TransferTarget kind, const std::string& target) {
  Transaction tx(host_);
  store_.set_transferred(tx, call_);
  tx.emit(inbound_transferred(call_, kind, target));
  std::move(tx).commit(
      [log = log_](const Commit& outcome) {
        if (!outcome) log.error("call.transferred could not be stored", {{"why", outcome.error().text}});
      },
      strand_.id());
}

void InboundConversation::on_digit_after_transfer(const std::string& digit) {
  if (resources_->transfer) resources_->transfer->send_digit(digit);
  if (resources_->number_transfer) resources_->number_transfer->digit(digit);
}

void InboundConversation::on_transfer_failed(const std::string& reason) {
  log_.info("the transfer failed", {{"why", reason}});
  drop_transfer();
  if (!end_)
    conversation().tell("The transfer has failed (" + lib::valid_text(reason) +
                        "). Tell the caller so, and offer something else.");
}

// Ends the other call. Later, because the transfer may be calling this.
void InboundConversation::drop_transfer() {
  std::shared_ptr<CallTransfer> call(std::move(resources_->transfer));
  std::shared_ptr<NumberTransfer> number(std::move(resources_->number_transfer));
  if (call || number) strand_.post([call, number] {});
}

void InboundConversation::on_leg_ended(const telephony::Ended& ended) {
  log_.info("the leg has ended", {{"cause", ended.cause},
                                  {"sip", ended.sip_status},
                                  {"detail", ended.detail},
                                  {"rtpReceived", ended.rtp_received},
                                  {"rtpLost", ended.rtp_lost},
                                  {"rtpLate", ended.rtp_late},
                                  {"rtpDelayMs", ended.rtp_delay_ms},
                                  {"rtpDropped", ended.rtp_dropped}});
  if (resources_->number_transfer) resources_->number_transfer->ended(ended);
  const Ending ending = ending_of_leg(ended, true, conversation().farewell_outcome());
  end_call(ending.outcome, ending.error_detail);
}

void InboundConversation::on_completed(std::string_view outcome) { end_call(std::string(outcome), ""); }

void InboundConversation::on_failed(std::string reason) { end_call("far-hangup", std::move(reason)); }

void InboundConversation::end_call(std::string outcome, std::string detail) {
  if (end_) return save_when_drained();
  end_ = InboundEnd{};
  end_->outcome = call_.is_transferred ? kTransferred : std::move(outcome);
  // Redacts the text, because it comes from engines and trunks, which are other plugins.
  end_->error_detail = conversation().redact(detail);
  end_->ended_ms = host_.wall_ms();
  drop_transfer();
  conversation().close(end_->outcome, end_->ended_ms);
  save_when_drained();
}

void InboundConversation::save_when_drained() {
  if (!end_ || is_saving_ || is_storing_ || !conversation().drained()) return;
  is_saving_ = true;
  conversation().close_bridge([this] { save(); });
}

void InboundConversation::save() {
  if (is_lost_ || !is_stored_)
    return strand_.post([self = shared_from_this()] {
      self->on_saved(Error{Code::fenced, "the store has no such call"});
    });
  const TranscriptBuilder& transcript = conversation().transcript();
  end_->usage = conversation().usage();
  end_->turns = transcript.turns();
  end_->input_turns = transcript.input_turns();
  end_->output_turns = transcript.output_turns();
  post(host_, kMainStrand, [self = shared_from_this()] {
    self->writer_.write(self->call_, *self->end_, false, [self](const Status& stored) {
      self->strand_.post([self, stored] { self->on_saved(stored); });
    });
  });
}

void InboundConversation::on_saved(const Status& stored) {
  const bool was_answered = call_.answered_ms > 0;
  if (stored)
    log_.info("the call has ended", {{"outcome", was_answered ? end_->outcome : std::string("not answered")},
                                     {"detail", end_->error_detail},
                                     {"talkSec", duration_sec(call_, end_->ended_ms)},
                                     {"firstAudioMs", conversation().first_audio_ms()},
                                     {"callerTurns", end_->input_turns},
                                     {"aiTurns", end_->output_turns}});
  resources_.reset();
  strand_.close([self = shared_from_this(), was_answered] {
    post(self->host_, kMainStrand,
         [self, was_answered] { self->events_.ended(was_answered ? self->end_->outcome : std::string()); });
  });
}

}  // namespace patchbay::ai_voice

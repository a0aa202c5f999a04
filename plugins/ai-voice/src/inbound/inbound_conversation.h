// InboundConversation: one call to a virtual number that an AI answers. An actor with its own strand; lives
// from the offer of the call until its end is stored.
//
// Rings while its Conversation opens the engine, and answers when the engine is ready; stores the answer and
// the turns; ends with one transaction: call.ended and transcript.saved.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "conversation/conversation.h"
#include "inbound/call_transfer.h"
#include "inbound/inbound_end_writer.h"
#include "inbound/inbound_store.h"
#include "inbound/number_transfer.h"

namespace patchbay::ai_voice {

struct InboundInit {
  InboundCall call;
  telephony::Offer offer;
  ConversationInit conversation;
  Handle hand_over;                 // instance of Answerer that takes callers for other virtual numbers
  bool transfers_by_refer = false;  // where the trunk supports it
  int64_t max_tenant_calls = 0;  // at all servers on the database together; 0: this server has counted them
};

// Kept alive by InboundAnswerer and by itself, until its end is reported.
class InboundConversation final : public std::enable_shared_from_this<InboundConversation>,
                                  public Conversation::Owner {
 public:
  struct Events {
    Function<void()> talks;                            // the AI begins
    Function<void(int64_t)> first_audio;               // after so many ms; may be called on any strand
    Function<void(const std::string& outcome)> ended;  // last; "": the call was not answered
  };
  // Replies to the offer, and calls the events on the main strand.
  static std::shared_ptr<InboundConversation> start(const Host& host, const InboundStore& store,
                                                    InboundEndWriter& writer, InboundInit init,
                                                    Reply<telephony::Taken> reply, Events events);

  const std::string& call_id() const noexcept { return call_id_; }
  // [any] Whether the store has the call.
  bool is_stored() const noexcept { return is_stored_; }
  // [any] Ends the call because the server stops.
  void interrupt();
  // [any] Ends the call without storing its end, because another server has stored it.
  void lose();

 private:
  InboundConversation(const Host& host, const InboundStore& store, InboundEndWriter& writer, InboundInit init,
                      Events events);

  // Exists on the strand only, from begin() to on_saved().
  struct Resources {
    Resources(const Host& host, StrandId strand, const ConversationInit& init, Conversation::Owner& owner);
    Conversation conversation;
    Lease<telephony::Leg> leg;
    std::unique_ptr<CallTransfer> transfer;
    std::unique_ptr<NumberTransfer> number_transfer;
    bool is_referring = false;  // the trunk's answer to REFER is pending
    Timer ready_limit;
    Timer retry;  // of a failed commit of the answer
  };

  // Conversation::Owner
  void on_ringing(const telephony::Progress&) override {}
  void on_answered(const telephony::Answered& answered) override;
  void on_leg_ended(const telephony::Ended& ended) override;
  void on_engine_ready() override;
  void on_started() override;
  void on_first_audio(int64_t ms_after_answer) override;
  void on_turns() override;
  std::string on_transfer(const std::string& target) override;
  bool is_transferring() const override {
    return resources_->transfer || resources_->number_transfer || resources_->is_referring;
  }
  void on_digit_after_transfer(const std::string& digit) override;
  void on_completed(std::string_view outcome) override;
  void on_failed(std::string reason) override;
  void on_drained() override { save_when_drained(); }

  void begin(Reply<telephony::Taken> reply);
  void store_begin();
  void on_begun(const Commit& outcome);
  void answer_when_ready();
  void store_answer();
  void hand_to_number(const std::string& number);
  void on_number_ready(const std::string& number);
  void transfer_to_phone(const std::string& number);
  void refer(const std::string& number);
  void on_referred(const std::string& number, const Result<telephony::Transferred>& outcome);
  void bridge(const std::string& number);
  void ring_user(const std::string& user);
  CallTransfer& make_transfer(TransferTarget kind, const std::string& target);
  void on_transfer_answered(TransferTarget kind, const std::string& target, Handle port);
  void store_transfer(TransferTarget kind, const std::string& target);
  void on_transfer_failed(const std::string& reason);
  void drop_transfer();
  void end_call(std::string outcome, std::string detail);
  void save_when_drained();
  void save();
  void on_saved(const Status& stored);

  Conversation& conversation() { return resources_->conversation; }

  // borrowed
  const Host& host_;
  const InboundStore& store_;
  InboundEndWriter& writer_;  // main strand
  // owned
  const std::string call_id_;
  Strand strand_;
  InboundCall call_;
  const InboundInit init_;
  const SecretGuard secret_;
  const Log log_;
  Events events_;
  std::unique_ptr<Resources> resources_;
  // state, on the strand
  int64_t answer_ms_ = 0;
  telephony::Answered answered_;        // of the leg
  std::atomic<bool> is_stored_{false};  // the row exists
  bool is_storing_ = false;             // the row is being written
  bool is_engine_ready_ = false;
  bool is_answering_ = false;
  bool is_saving_ = false;
  int transfers_ = 0;              // that were tried
  bool is_lost_ = false;           // another server has ended the call in the store
  bool is_storing_turns_ = false;  // a transaction with turns is pending; one at a time
  std::optional<InboundEnd> end_;
};

}  // namespace patchbay::ai_voice

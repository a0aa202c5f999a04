// OutboundAttempt: one attempt to reach one number. An actor with its own strand; lives from the claim until
// its end is stored.
//
// Dials while its Conversation opens the engine; stores the answer and the turns; ends with one transaction:
// state, outbound-ai.finished, transcript.saved.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversation/conversation.h"
#include "inbound/call_transfer.h"
#include "outbound/attempt_end_writer.h"
#include "outbound/call_metrics.h"
#include "outbound/call_store.h"

namespace patchbay::ai_voice {

struct AttemptInit {
  Call call;            // as claimed
  std::string api_key;  // in plain text
  std::string greeting;
  Handle engine;
  int64_t ring_timeout_ms = 0;
  std::vector<std::string> transfer_users{};  // to whom the AI may transfer the callee
  bool log_conversation = false;              // whether what is said may be logged
};

// Kept alive by the scheduler and by itself, until its end is reported.
class OutboundAttempt final : public std::enable_shared_from_this<OutboundAttempt>,
                              public Conversation::Owner {
 public:
  // Calls ended() last, on the main strand.
  static std::shared_ptr<OutboundAttempt> start(const Host& host, const CallStore& store,
                                                const CallMetrics& metrics, AttemptEndWriter& writer,
                                                AttemptInit init, Function<void()> ended);

  const std::string& call_id() const noexcept { return call_id_; }
  const std::string& tenant() const noexcept { return tenant_; }
  // [any] Whether the AI has begun to listen and speak.
  bool talking() const noexcept { return talking_.load(std::memory_order_relaxed); }

  // [main strand] Ends the attempt: CANCEL while it rings, BYE after the answer. Calls done() on the main
  // strand once the end is stored.
  void cancel(Function<void()> done);
  // [any] Ends the attempt because the server stops.
  void interrupt();
  // [any] Ends the attempt without storing its end, because this server's lease ran out and another server
  // has stored it.
  void lose();

 private:
  OutboundAttempt(const Host& host, const CallStore& store, const CallMetrics& metrics,
                  AttemptEndWriter& writer, AttemptInit init, Function<void()> ended);

  // Exists on the strand only, from begin() to on_saved().
  struct Resources {
    Resources(const Host& host, StrandId strand, const ConversationInit& init, Conversation::Owner& owner);
    Conversation conversation;
    Lease<telephony::Telephony> telephony;
    Lease<telephony::Leg> leg;
    std::unique_ptr<CallTransfer> transfer;
    Timer retry;          // of a failed commit of the answer
    Timer leg_end_timer;  // limits the wait for the end of an unanswered leg
  };

  // Conversation::Owner
  void on_ringing(const telephony::Progress& progress) override;
  void on_answered(const telephony::Answered& answered) override;
  void on_leg_ended(const telephony::Ended& ended) override;
  void on_started() override;
  void on_first_audio(int64_t ms_after_answer) override;
  void on_turns() override;
  std::string on_transfer(const std::string& user) override;
  bool is_transferring() const override { return resources_->transfer != nullptr; }
  void on_digit_after_transfer(const std::string& digit) override;
  void on_completed(std::string_view outcome) override;
  void on_failed(std::string why) override;
  void on_drained() override;

  void begin();
  void dial();
  void store_answer();
  void on_transfer_answered(const std::string& user, Handle port);
  void on_transfer_failed(const std::string& reason);
  void drop_transfer();
  void end_attempt(Ending ending);
  void await_leg_end(bool hung_up);
  void save_when_drained();
  void save();
  void on_saved(const Status& stored);
  void report_end();

  bool answered() const noexcept { return call_.answered_ms > 0; }
  Conversation& conversation() { return resources_->conversation; }
  TurnCounts turn_counts();
  std::string document();

  // borrowed
  const Host& host_;
  const CallStore& store_;
  const CallMetrics& metrics_;
  AttemptEndWriter& writer_;  // main strand
  // owned
  const std::string call_id_;
  const std::string tenant_;
  Strand strand_;
  Call call_;
  const AttemptInit init_;
  const SecretGuard secret_;
  const Log log_;
  std::unique_ptr<Resources> resources_;
  Function<void()> on_ended_;
  // state, on the strand
  int64_t answer_ms_ = 0;
  int64_t ended_ms_ = 0;
  bool dialling_ = false;  // the end waits for the reply, so that no leg leaks
  bool saving_ = false;
  int transfers_ = 0;            // that were tried
  bool storing_turns_ = false;   // a transaction with turns is pending; one at a time
  bool lost_ = false;            // another server has ended the call in the store
  bool awaits_leg_end_ = false;  // the end waits for the leg's end, which names the trunk
  std::optional<Ending> ending_;
  std::atomic<bool> talking_{false};
  // state, on the main strand
  std::vector<Function<void()>> cancel_callbacks_;
};

}  // namespace patchbay::ai_voice

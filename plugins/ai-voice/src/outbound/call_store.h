// CallStore: the statements on calls, turns and idempotent replies (store.sql).
#pragma once

#include <patchbay/store.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conversation/transcript_builder.h"
#include "conversation/turn_store.h"
#include "outbound/attempt_end.h"
#include "outbound/call.h"
#include "outbound/call_events.h"
#include "owner/owner.h"
#include "page/page_cursor.h"

namespace patchbay::ai_voice {

// Any strand. Callbacks run on the strand given, otherwise on the main strand.
class CallStore {
 public:
  // `owner`: of the attempts that are claimed here.
  CallStore(const Host& host, lib::Owner owner);

  const lib::Owner& owner() const noexcept { return owner_; }
  // Makes this start of the plugin the owner of the call.
  void take(Call& call) const;

  // Error not_found: the tenant has no such call.
  void get(const std::string& tenant, const std::string& call_id, StrandId strand,
           Function<void(Result<Call>)> done) const;
  struct Page {
    Buffer calls;  // JSON, the API's records
    int64_t total = 0;
    std::string next_cursor;  // "": these are the last ones
  };
  struct PageQuery {
    std::string tenant;
    std::vector<std::string> statuses;  // empty: all
    int64_t limit = 0;
    int64_t offset = 0;  // ignored with `after`
    lib::PagePosition after;
  };
  void list(PageQuery page_query, Function<void(Result<Page>)> done) const;
  void count_waiting(const std::string& tenant, Function<void(Result<int64_t>)> done) const;
  // Calls that have not ended, over all tenants, by status.
  void count_open(Function<void(Result<std::map<std::string, int64_t>>)> done) const;
  // The ids of the calls that this run owns; true: another server was asked to hang up.
  void owned(Function<void(Result<std::map<std::string, bool>>)> done) const;
  // Calls whose attempt was started by a run that no longer exists, here or at another server.
  void orphans(Function<void(Result<std::vector<Call>>)> done) const;

  // The stored turns of an attempt.
  void turns(const Call& call, Function<void(Result<std::vector<TranscriptTurn>>)> done) const;

  // The following functions add to the transaction. `call` has the state before the change, unless noted.
  // insert() and save_idempotent_reply() return the index of their last result in the commit's outcome.
  size_t insert(Transaction& tx, const Call& call, const std::string& sealed_key) const;
  // Asks the server that runs the attempt to hang up; and ends that request.
  void request_hangup(Transaction& tx, const Call& call) const;
  void delete_hangup(Transaction& tx, const std::string& call_id) const;
  // Operations of a claim that fail with Code::conflict while a limit is reached that servers on the database
  // share: the tenant's running calls, and its starts per second, `interval_ms` apart.
  void check_slot(Transaction& tx, const std::string& tenant, size_t max_calls) const;
  void take_start(Transaction& tx, const std::string& tenant, int64_t interval_ms, int64_t now_ms) const;
  // The limit that makes the call wait. No-op for a call that does not wait any more.
  void set_waits_for(Transaction& tx, const Call& call, const std::string& limit) const;
  // `call` has the new state: attempt, retries, owner, dispatched_ms.
  void claim(Transaction& tx, const Call& call) const;
  void set_answered(Transaction& tx, const Call& call) const;
  void set_transferred(Transaction& tx, const Call& call) const;
  void save_turn(Transaction& tx, const Call& call, const NumberedTurn& turn) const;
  // Ends the attempt: sets the status, adds the job of a retry, emits outbound-ai.finished, deletes the
  // turns.
  void end_attempt(Transaction& tx, const Call& call, const Ending& ending, const TurnCounts& turns,
                   int64_t ended_ms) const;
  // The operation of end_attempt(), in a transaction that begins with it, that fails with Code::conflict when
  // the attempt has been ended already.
  static constexpr int32_t kEndOperation = 1;
  // Cancels a call that has no running attempt. If the call waits for a retry, the cancelled attempt is the
  // next one, which is never dialled.
  void cancel_waiting(Transaction& tx, const Call& call, int64_t now_ms) const;

  size_t save_idempotent_reply(Transaction& tx, const std::string& tenant, const std::string& key_hash,
                               const std::string& request_hash, const std::string& response,
                               int64_t now_ms) const;
  void update_idempotent_reply(Transaction& tx, const std::string& tenant, const std::string& key_hash,
                               const std::string& response) const;
  struct IdempotentReply {
    bool found = false;
    std::string request_hash;
    std::string response;
    int64_t created_ms = 0;
  };
  void find_idempotent_reply(const std::string& tenant, const std::string& key_hash,
                             Function<void(Result<IdempotentReply>)> done) const;
  void delete_idempotent_reply(Transaction& tx, const std::string& tenant, const std::string& key_hash,
                               int64_t created_ms) const;

  // Deletes at most `limit` calls that ended before `before_ms`. Returns the index of the result that has a
  // row for each.
  size_t delete_old_calls(Transaction& tx, int64_t before_ms, int64_t limit) const;
  // The same for idempotent replies.
  size_t delete_old_idempotent_replies(Transaction& tx, int64_t before_ms, int64_t limit) const;

  static constexpr std::string_view kDialJob = "dial";
  static constexpr std::string_view kOutcomeMailJob = "outcome-mail";

 private:
  void page(const PageQuery& wanted, int64_t total, Function<void(Result<Page>)> done) const;
  // For a call that ended for good.
  static void add_outcome_mail(Transaction& tx, const Call& call, int64_t now_ms);
  // Call them before and after a statement that changes the call's status.
  void decrement_count(Transaction& tx, const Call& call) const;
  size_t increment_count(Transaction& tx, const Call& call) const;

  const Host& host_;
  const lib::Owner owner_;
  const TurnStore turns_;
  Statement insert_, get_, list_, list_status_, list_count_, list_total_, waiting_count_, open_count_,
      orphans_, owned_, request_hangup_, delete_hangup_, check_slot_, take_start_, set_waits_for_, claim_,
      set_answered_, set_transferred_, end_attempt_, cancel_waiting_, decrement_count_, increment_count_,
      save_idempotent_reply_, update_idempotent_reply_, find_idempotent_reply_, delete_idempotent_reply_,
      delete_old_idempotent_replies_, count_old_, delete_old_calls_;
};

}  // namespace patchbay::ai_voice

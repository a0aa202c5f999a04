// CallStore: the statements over the table of calls.
#pragma once

#include <patchbay/store.h>

#include <map>
#include <string>
#include <vector>

#include "conversation/transcript_builder.h"
#include "outbound/call.h"
#include "outbound/events.h"
#include "outbound/outcome.h"

namespace patchbay::ai_voice {

// Any strand; callbacks come on the strand named.
class CallStore {
 public:
  explicit CallStore(const Host& host);

  // Error not_found: the tenant has no such call.
  void get(const std::string& tenant, const std::string& call_id, StrandId strand,
           Function<void(Result<Call>)> done) const;
  struct Page {
    std::vector<Call> calls;
    int64_t total = 0;
  };
  // `statuses` empty: all of them.
  void list(const std::string& tenant, const std::vector<std::string>& statuses, int64_t limit,
            int64_t offset, Function<void(Result<Page>)> done) const;
  void count_waiting(const std::string& tenant, Function<void(Result<int64_t>)> done) const;
  // Calls that have not ended, over all tenants, by status.
  void count_open(Function<void(Result<std::map<std::string, int64_t>>)> done) const;
  // Calls whose attempt belonged to a process that is gone.
  void orphans(int64_t epoch, Function<void(Result<std::vector<Call>>)> done) const;

  // What was said on an attempt that runs, or ran until its process died.
  void turns(const Call& call, Function<void(Result<std::vector<TranscriptTurn>>)> done) const;

  // Each adds to the transaction; `call` holds the state from before unless said otherwise.
  // insert() and save_idempotent_reply() return the index of their last result in the outcome.
  size_t insert(Transaction& tx, const Call& call, const std::string& sealed_key) const;
  // `call` is as it shall be: attempt, retries, epoch, dispatched_ms.
  void claim(Transaction& tx, const Call& call) const;
  void answered(Transaction& tx, const Call& call) const;
  void keep_turn(Transaction& tx, const Call& call, const NumberedTurn& turn) const;
  // State change, the retry's job if there is to be one, and the attempt's one outbound-ai.finished; the kept
  // turns go.
  void finish(Transaction& tx, const Call& call, const Ending& ending, const TalkStats& talk,
              int64_t ended_ms) const;
  // Of a call whose attempt does not run. For a call that waits for a retry, the next attempt ends so: it is
  // never dialled.
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

  // Removes at most `limit` calls that have ended for good before `before_ms`; the index of the result that
  // has a row for each.
  size_t remove_old(Transaction& tx, int64_t before_ms, int64_t limit) const;
  // The same with remembered replies.
  size_t delete_old_idempotent_replies(Transaction& tx, int64_t before_ms, int64_t limit) const;

  static constexpr std::string_view kDialJob = "dial";

 private:
  // Around a statement that changes the call's status.
  void count_before(Transaction& tx, const Call& call) const;
  size_t count_after(Transaction& tx, const Call& call) const;

  const Host& host_;
  Statement insert_, get_, list_, list_status_, list_count_, waiting_count_, open_count_, orphans_, claim_,
      answered_, finish_, turn_put_, turns_, turns_forget_, cancel_waiting_, count_before_, count_after_,
      save_idempotent_reply_, update_idempotent_reply_, find_idempotent_reply_, delete_idempotent_reply_,
      delete_old_idempotent_replies_, count_old_, remove_old_;
};

}  // namespace patchbay::ai_voice

#include "calls/call_table.h"

#include <utility>

namespace patchbay::ai_voice {
namespace {

Value time_value(int64_t ms) { return ms == 0 ? Value(nullptr) : Value(ms); }

std::vector<Call> read_calls(const Rows& rows) {
  std::vector<Call> calls;
  calls.reserve(rows.size());
  for (size_t row = 0; row < rows.size(); ++row) calls.push_back(read_call(rows, row));
  return calls;
}

}  // namespace

CallTable::CallTable(const Host& host)
    : host_(host),
      insert_(Statement::find(host, "insert")),
      get_(Statement::find(host, "get")),
      list_(Statement::find(host, "list")),
      list_count_(Statement::find(host, "list_count")),
      waiting_count_(Statement::find(host, "waiting_count")),
      orphans_(Statement::find(host, "orphans")),
      claim_(Statement::find(host, "claim")),
      answered_(Statement::find(host, "answered")),
      finish_(Statement::find(host, "finish")),
      turn_put_(Statement::find(host, "turn_put")),
      turns_(Statement::find(host, "turns")),
      turns_forget_(Statement::find(host, "turns_forget")),
      cancel_waiting_(Statement::find(host, "cancel_waiting")),
      remember_(Statement::find(host, "remember")),
      recall_(Statement::find(host, "recall")),
      forget_(Statement::find(host, "forget")) {}

void CallTable::get(const std::string& call_id, StrandId strand, Function<void(Result<Call>)> done) const {
  query(
      host_, get_, {call_id},
      [done = std::move(done)](const Result<Rows>& rows) {
        if (!rows) return done(rows.error());
        if (rows->empty()) return done(Error{Code::not_found, "no such call"});
        done(read_call(*rows, 0));
      },
      strand);
}

void CallTable::list(const std::string& tenant, const std::string& statuses, int64_t limit, int64_t offset,
                     Function<void(Result<Page>)> done) const {
  query(host_, list_count_, {tenant, statuses},
        [this, tenant, statuses, limit, offset, done = std::move(done)](const Result<Rows>& count) mutable {
          if (!count) return done(count.error());
          const int64_t total = count->integer(0, 0);
          query(host_, list_, {tenant, statuses, limit, offset},
                [total, done = std::move(done)](const Result<Rows>& rows) {
                  if (!rows) return done(rows.error());
                  done(Page{read_calls(*rows), total});
                });
        });
}

void CallTable::count_waiting(const std::string& tenant, Function<void(Result<int64_t>)> done) const {
  query(host_, waiting_count_, {tenant}, [done = std::move(done)](const Result<Rows>& rows) {
    done(rows ? Result<int64_t>(rows->integer(0, 0)) : Result<int64_t>(rows.error()));
  });
}

void CallTable::orphans(int64_t epoch, Function<void(Result<std::vector<Call>>)> done) const {
  query(host_, orphans_, {epoch}, [done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    done(read_calls(*rows));
  });
}

void CallTable::turns(const Call& call, Function<void(Result<std::vector<TranscriptTurn>>)> done) const {
  query(host_, turns_, {call.call_id, call.attempt}, [done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    std::vector<TranscriptTurn> turns;
    for (size_t row = 0; row < rows->size(); ++row) {
      using Speaker = TranscriptTurn::Speaker;
      turns.push_back({rows->integer(row, 0) != 0 ? Speaker::ai : Speaker::caller,
                       std::string(rows->text(row, 1)), rows->integer(row, 2)});
    }
    done(std::move(turns));
  });
}

void CallTable::keep_turn(Transaction& tx, const Call& call, const NumberedTurn& turn) const {
  const bool of_ai = turn.turn.speaker == TranscriptTurn::Speaker::ai;
  tx.exec(turn_put_, {call.call_id, call.attempt, turn.number, of_ai, turn.turn.text, turn.turn.ts_ms}, 1);
}

void CallTable::insert(Transaction& tx, const Call& call, const std::string& sealed_key) const {
  tx.exec(insert_,
          {call.call_id, call.tenant, call.created_ms, call.requested_by, call.phone, call.display_name,
           call.email, call.system_prompt, sealed_key.empty() ? Value(nullptr) : Value::bytes(sealed_key),
           call.model, call.voice, call.language, call.max_seconds, call.status, call.retries_left,
           call.retry_delay_minutes, time_value(call.scheduled_ms)},
          1);
}

void CallTable::claim(Transaction& tx, const Call& call) const {
  tx.exec(claim_,
          {call.call_id, call.rev, call.attempt, call.retries_left, call.owner_epoch, call.dispatched_ms}, 1);
}

void CallTable::answered(Transaction& tx, const Call& call) const {
  tx.exec(answered_, {call.call_id, call.owner_epoch, call.attempt, call.answered_ms, call.trunk_id}, 1);
}

void CallTable::finish(Transaction& tx, const Call& call, const Ending& ending, const Talk& talk,
                       int64_t ended_ms) const {
  const std::string status(status_after(call, ending));
  tx.exec(finish_,
          {call.call_id, call.owner_epoch, call.attempt, status, ended_ms, ending.outcome,
           duration_sec(call, ended_ms), call.trunk_id, call.transcript_path, ending.error_detail},
          1);
  if (call.answered_ms > 0) tx.exec(turns_forget_, {call.call_id, call.attempt});
  if (status == status::kRetryPending) {
    tx.job_add(kDialJob, call.tenant, call.call_id, ended_ms + call.retry_delay_minutes * 60'000,
               call.call_id);
  }
  tx.emit(outbound_finished(call, ending, talk, ended_ms), finished_key(call));
}

void CallTable::cancel_waiting(Transaction& tx, const Call& call, int64_t now_ms) const {
  tx.exec(cancel_waiting_, {call.call_id, call.rev, now_ms}, 1);
  tx.job_cancel(kDialJob, call.call_id);
  if (call.status != status::kRetryPending) {
    tx.emit(outbound_finished(call, Ending::cancelled(), {}, now_ms), finished_key(call));
  }
}

void CallTable::remember(Transaction& tx, const std::string& tenant, const std::string& key_hash,
                         const std::string& request_hash, const std::string& response, int64_t now_ms) const {
  tx.exec(remember_, {tenant, key_hash, request_hash, response, now_ms}, 1);
}

void CallTable::recall(const std::string& tenant, const std::string& key_hash,
                       Function<void(Result<Remembered>)> done) const {
  query(host_, recall_, {tenant, key_hash}, [done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    if (rows->empty()) return done(Remembered{});
    done(Remembered{true, std::string(rows->text(0, 0)), std::string(rows->text(0, 1)), rows->integer(0, 2)});
  });
}

void CallTable::forget(Transaction& tx, const std::string& tenant, const std::string& key_hash,
                       int64_t created_ms) const {
  tx.exec(forget_, {tenant, key_hash, created_ms});
}

}  // namespace patchbay::ai_voice

#include "outbound/call_store.h"

#include <algorithm>
#include <utility>

#include "outbound/limits.h"
#include "outbound/retry_policy.h"

namespace patchbay::ai_voice {
namespace {

std::vector<Call> read_calls(const Rows& rows) {
  std::vector<Call> calls;
  calls.reserve(rows.size());
  for (size_t row = 0; row < rows.size(); ++row) calls.push_back(read_call(rows, row));
  return calls;
}

}  // namespace

CallStore::CallStore(const Host& host, lib::Owner owner)
    : host_(host),
      owner_(std::move(owner)),
      turns_(host),
      insert_(Statement::find(host, "insert")),
      get_(Statement::find(host, "get")),
      list_(Statement::find(host, "list")),
      list_status_(Statement::find(host, "list_status")),
      list_count_(Statement::find(host, "list_count")),
      list_total_(Statement::find(host, "list_total")),
      waiting_count_(Statement::find(host, "waiting_count")),
      open_count_(Statement::find(host, "open_count")),
      orphans_(Statement::find(host, "orphans")),
      owned_(Statement::find(host, "owned")),
      request_hangup_(Statement::find(host, "request_hangup")),
      delete_hangup_(Statement::find(host, "delete_hangup")),
      check_slot_(Statement::find(host, "check_slot")),
      take_start_(Statement::find(host, "take_start")),
      set_waits_for_(Statement::find(host, "set_waits_for")),
      claim_(Statement::find(host, "claim")),
      set_answered_(Statement::find(host, "set_answered")),
      set_transferred_(Statement::find(host, "set_transferred")),
      end_attempt_(Statement::find(host, "end_attempt")),
      cancel_waiting_(Statement::find(host, "cancel_waiting")),
      decrement_count_(Statement::find(host, "decrement_count")),
      increment_count_(Statement::find(host, "increment_count")),
      save_idempotent_reply_(Statement::find(host, "save_idempotent_reply")),
      update_idempotent_reply_(Statement::find(host, "update_idempotent_reply")),
      find_idempotent_reply_(Statement::find(host, "find_idempotent_reply")),
      delete_idempotent_reply_(Statement::find(host, "delete_idempotent_reply")),
      delete_old_idempotent_replies_(Statement::find(host, "delete_old_idempotent_replies")),
      count_old_(Statement::find(host, "count_old")),
      delete_old_calls_(Statement::find(host, "delete_old_calls")) {}

void CallStore::get(const std::string& tenant, const std::string& call_id, StrandId strand,
                    Function<void(Result<Call>)> done) const {
  query(
      host_, get_, {call_id, tenant},
      [done = std::move(done)](const Result<Rows>& rows) {
        if (!rows) return done(rows.error());
        if (rows->empty()) return done(Error{Code::not_found, "no such call"});
        done(read_call(*rows, 0));
      },
      strand);
}

void CallStore::list(PageQuery page_query, Function<void(Result<Page>)> done) const {
  const std::string tenant = page_query.tenant;
  const std::vector<std::string> statuses = page_query.statuses;
  auto take_total = [this, wanted = std::move(page_query),
                     done = std::move(done)](const Result<int64_t>& total) mutable {
    if (!total) return done(total.error());
    page(wanted, *total, std::move(done));
  };
  if (statuses.empty()) return query_number(host_, list_total_, {tenant}, std::move(take_total));
  query_json(host_, list_count_, {tenant}, "status n",
             [this, statuses, take_total = std::move(take_total)](const Result<JsonRows>& rows) mutable {
               if (!rows) return take_total(rows.error());
               const auto counts = host_.parse_json(rows->text.view());
               if (!counts) return take_total(counts.error());
               int64_t total = 0;
               for (size_t i = 0; i < counts->root().size(); ++i) {
                 const JsonView one = counts->root().at(i);
                 const bool wanted =
                     std::find(statuses.begin(), statuses.end(), one["status"].text()) != statuses.end();
                 if (wanted) total += one["n"].integer();
               }
               take_total(total);
             });
}

void CallStore::page(const PageQuery& wanted, int64_t total, Function<void(Result<Page>)> done) const {
  static constexpr lib::CursorMembers kCursorMembers{"callId", "createdAtUtc", "callId"};
  const auto& [tenant, statuses, limit, offset, after] = wanted;
  const int64_t skipped = after.is_begin() ? offset : 0;
  const int64_t read = lib::rows_to_read(after, limit);
  auto take = [total, after = after, limit = limit, offset = offset,
               done = std::move(done)](Result<JsonRows> calls) {
    if (!calls) return done(calls.error());
    const auto end = lib::page_end(after, calls->count, limit, offset, total);
    auto page = lib::json_page(std::move(calls->text), end, calls->count, kCursorMembers);
    done(Page{std::move(page.items), total, std::move(page.next_cursor)});
  };
  static const std::string members = record_members();
  if (statuses.empty())
    return query_json(host_, list_, {tenant, read, skipped, after.time_ms, after.id}, members,
                      std::move(take));
  Values values{tenant};
  for (size_t i = 0; i < kStatuses.size(); ++i)
    values.emplace_back(i < statuses.size() ? std::string_view(statuses[i]) : std::string_view());
  values.insert(values.end(), {read + skipped, read, skipped, after.time_ms, after.id});
  query_json(host_, list_status_, values, members, std::move(take));
}

void CallStore::count_waiting(const std::string& tenant, Function<void(Result<int64_t>)> done) const {
  query(host_, waiting_count_, {tenant}, [done = std::move(done)](const Result<Rows>& rows) {
    done(rows ? Result<int64_t>(rows->integer(0, 0)) : Result<int64_t>(rows.error()));
  });
}

void CallStore::orphans(Function<void(Result<std::vector<Call>>)> done) const {
  query(host_, orphans_, {owner_.run, owner_.node, owner_.epoch},
        [done = std::move(done)](const Result<Rows>& rows) {
          if (!rows) return done(rows.error());
          done(read_calls(*rows));
        });
}

void CallStore::owned(Function<void(Result<std::map<std::string, bool>>)> done) const {
  query(host_, owned_, {owner_.run}, [done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    std::map<std::string, bool> calls;
    for (size_t row = 0; row < rows->size(); ++row)
      calls.emplace(rows->text(row, 0), rows->integer(row, 1) != 0);
    done(std::move(calls));
  });
}

void CallStore::take(Call& call) const {
  call.owner_run = owner_.run;
  call.owner_node = owner_.node;
  call.owner_epoch = owner_.epoch;
}

void CallStore::turns(const Call& call, Function<void(Result<std::vector<TranscriptTurn>>)> done) const {
  turns_.read(call.call_id, call.attempt, std::move(done));
}

void CallStore::count_open(Function<void(Result<std::map<std::string, int64_t>>)> done) const {
  query(host_, open_count_, {}, [done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    std::map<std::string, int64_t> counts;
    for (size_t row = 0; row < rows->size(); ++row)
      counts[std::string(rows->text(row, 0))] = rows->integer(row, 1);
    done(std::move(counts));
  });
}

void CallStore::decrement_count(Transaction& tx, const Call& call) const {
  tx.exec(decrement_count_, {call.tenant, call.call_id});
}

size_t CallStore::increment_count(Transaction& tx, const Call& call) const {
  return tx.exec(increment_count_, {call.call_id});
}

void CallStore::save_turn(Transaction& tx, const Call& call, const NumberedTurn& turn) const {
  turns_.save(tx, call.call_id, call.attempt, call.owner_run, turn);
}

size_t CallStore::insert(Transaction& tx, const Call& call, const std::string& sealed_key) const {
  Call row = call;
  row.api_key = sealed_key;
  row.rev = 1;
  tx.exec(insert_, write_row(row), 1);
  return increment_count(tx, call);
}

void CallStore::request_hangup(Transaction& tx, const Call& call) const {
  tx.exec(request_hangup_, {call.call_id, call.owner_run}, 1);
}

void CallStore::delete_hangup(Transaction& tx, const std::string& call_id) const {
  tx.exec(delete_hangup_, {call_id});
}

void CallStore::check_slot(Transaction& tx, const std::string& tenant, size_t max_calls) const {
  tx.exec(check_slot_, {tenant, max_calls}, 1);
}

// The moments of a start are measured at different points and clocks, so it may be a little early.
void CallStore::take_start(Transaction& tx, const std::string& tenant, int64_t interval_ms,
                           int64_t now_ms) const {
  const int64_t early_ms = std::min(interval_ms / 4, kMaxEarlyStartMs);
  tx.exec(take_start_, {tenant, now_ms, interval_ms, now_ms + early_ms}, 1);
}

void CallStore::set_waits_for(Transaction& tx, const Call& call, const std::string& limit) const {
  tx.exec(set_waits_for_, {call.call_id, limit});
}

void CallStore::claim(Transaction& tx, const Call& call) const {
  decrement_count(tx, call);
  tx.exec(claim_,
          {call.call_id, call.rev, call.attempt, call.retries_left, call.owner_run, call.dispatched_ms,
           call.owner_node, call.owner_epoch},
          1);
  increment_count(tx, call);
}

void CallStore::set_answered(Transaction& tx, const Call& call) const {
  decrement_count(tx, call);
  tx.exec(set_answered_, {call.call_id, call.owner_run, call.attempt, call.answered_ms, call.trunk_id}, 1);
  increment_count(tx, call);
}

void CallStore::set_transferred(Transaction& tx, const Call& call) const {
  tx.exec(set_transferred_, {call.call_id, call.owner_run, call.attempt}, 1);
}

void CallStore::end_attempt(Transaction& tx, const Call& call, const Ending& ending, const TurnCounts& turns,
                            int64_t ended_ms) const {
  const std::string status(status_after(call, ending));
  decrement_count(tx, call);
  tx.exec(end_attempt_,
          {call.call_id, call.owner_run, call.attempt, status, ended_ms, ending.outcome,
           duration_sec(call, ended_ms), call.trunk_id, call.transcript_path, ending.error_detail,
           call.rtp_received, call.rtp_lost, call.rtp_jitter_us, call.rtp_round_trip_us,
           call.rtp_far_lost_percent, call.rtp_delay_ms},
          1);
  increment_count(tx, call);
  if (call.answered_ms > 0) turns_.remove(tx, call.call_id, call.attempt);
  if (owner_.is_shared) delete_hangup(tx, call.call_id);
  if (status == status::kRetryPending) {
    tx.job_add(kDialJob, call.tenant, call.call_id, next_attempt_ms(call, ending, ended_ms), call.call_id);
  } else {
    add_outcome_mail(tx, call, ended_ms);
  }
  tx.emit(outbound_finished(call, ending, turns, ended_ms), finished_key(call));
}

void CallStore::add_outcome_mail(Transaction& tx, const Call& call, int64_t now_ms) {
  if (call.email.empty()) return;
  tx.job_add(kOutcomeMailJob, call.tenant, call.call_id, now_ms, call.call_id);
}

void CallStore::cancel_waiting(Transaction& tx, const Call& call, int64_t now_ms) const {
  Call last = call;
  if (call.status == status::kRetryPending) {
    ++last.attempt;
    --last.retries_left;
  }
  decrement_count(tx, call);
  tx.exec(cancel_waiting_, {call.call_id, call.tenant, call.rev, now_ms, last.attempt, last.retries_left}, 1);
  increment_count(tx, call);
  tx.job_cancel(kDialJob, call.call_id);
  add_outcome_mail(tx, call, now_ms);
  tx.emit(outbound_finished(last, Ending::cancelled(), {}, now_ms), finished_key(last));
}

size_t CallStore::save_idempotent_reply(Transaction& tx, const std::string& tenant,
                                        const std::string& key_hash, const std::string& request_hash,
                                        const std::string& response, int64_t now_ms) const {
  return tx.exec(save_idempotent_reply_, {tenant, key_hash, request_hash, response, now_ms}, 1);
}

void CallStore::update_idempotent_reply(Transaction& tx, const std::string& tenant,
                                        const std::string& key_hash, const std::string& response) const {
  tx.exec(update_idempotent_reply_, {tenant, key_hash, response});
}

void CallStore::find_idempotent_reply(const std::string& tenant, const std::string& key_hash,
                                      Function<void(Result<IdempotentReply>)> done) const {
  query(host_, find_idempotent_reply_, {tenant, key_hash},
        [done = std::move(done)](const Result<Rows>& rows) {
          if (!rows) return done(rows.error());
          if (rows->empty()) return done(IdempotentReply{});
          done(IdempotentReply{true, std::string(rows->text(0, 0)), std::string(rows->text(0, 1)),
                               rows->integer(0, 2)});
        });
}

void CallStore::delete_idempotent_reply(Transaction& tx, const std::string& tenant,
                                        const std::string& key_hash, int64_t created_ms) const {
  tx.exec(delete_idempotent_reply_, {tenant, key_hash, created_ms});
}

size_t CallStore::delete_old_idempotent_replies(Transaction& tx, int64_t before_ms, int64_t limit) const {
  return tx.exec(delete_old_idempotent_replies_, {before_ms, limit});
}

size_t CallStore::delete_old_calls(Transaction& tx, int64_t before_ms, int64_t limit) const {
  tx.exec(count_old_, {before_ms, limit});
  return tx.exec(delete_old_calls_, {before_ms, limit});
}

}  // namespace patchbay::ai_voice

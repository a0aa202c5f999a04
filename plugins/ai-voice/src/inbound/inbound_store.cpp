#include "inbound/inbound_store.h"

#include <utility>

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kAttempt = 1;  // of the turns

}  // namespace

InboundStore::InboundStore(const Host& host, lib::Owner owner)
    : host_(host),
      owner_(std::move(owner)),
      check_slot_(Statement::find(host, "check_slot")),
      begin_(Statement::find(host, "inbound_begin")),
      answered_(Statement::find(host, "inbound_answered")),
      transferred_(Statement::find(host, "inbound_transferred")),
      end_(Statement::find(host, "inbound_end")),
      owned_(Statement::find(host, "inbound_owned")),
      orphans_(Statement::find(host, "inbound_orphans")),
      turns_(host) {}

void InboundStore::check_slot(Transaction& tx, const std::string& tenant, int64_t max_calls) const {
  tx.exec(check_slot_, {tenant, max_calls}, 1);
}

void InboundStore::begin(Transaction& tx, const InboundCall& call) const {
  tx.exec(begin_,
          {call.call_id, call.tenant, call.name, call.did, call.from_number, call.voice, call.language,
           call.model, call.keeps_transcript, call.started_ms, call.owner_run, owner_.node, owner_.epoch,
           call.max_seconds, call.is_handed_over},
          1);
}

void InboundStore::set_answered(Transaction& tx, const InboundCall& call) const {
  tx.exec(answered_, {call.call_id, call.owner_run, call.answered_ms}, 1);
}

void InboundStore::set_transferred(Transaction& tx, const InboundCall& call) const {
  tx.exec(transferred_, {call.call_id, call.owner_run}, 1);
}

void InboundStore::save_turn(Transaction& tx, const InboundCall& call, const NumberedTurn& turn) const {
  turns_.save(tx, call.call_id, kAttempt, call.owner_run, turn);
}

void InboundStore::end(Transaction& tx, const InboundCall& call, const InboundEnd& end) const {
  tx.exec(end_, {call.call_id, call.owner_run}, 1);
  turns_.remove(tx, call.call_id, kAttempt);
  if (call.answered_ms > 0) tx.emit(inbound_ended(call, end), inbound_ended_key(call));
}

void InboundStore::owned(Function<void(Result<std::set<std::string>>)> done) const {
  query(host_, owned_, {owner_.run}, [done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    std::set<std::string> ids;
    for (size_t row = 0; row < rows->size(); ++row) ids.emplace(rows->text(row, 0));
    done(std::move(ids));
  });
}

void InboundStore::orphans(Function<void(Result<std::vector<InboundCall>>)> done) const {
  query(host_, orphans_, {owner_.run, owner_.node, owner_.epoch},
        [done = std::move(done)](const Result<Rows>& rows) {
          if (!rows) return done(rows.error());
          std::vector<InboundCall> calls;
          for (size_t row = 0; row < rows->size(); ++row) {
            InboundCall call;
            size_t column = 0;
            for (std::string* field : {&call.call_id, &call.tenant, &call.name, &call.did, &call.from_number,
                                       &call.voice, &call.language, &call.model})
              *field = rows->text(row, column++);
            call.keeps_transcript = rows->integer(row, column++) != 0;
            for (int64_t* field : {&call.started_ms, &call.answered_ms, &call.owner_run})
              *field = rows->integer(row, column++);
            call.is_transferred = rows->integer(row, column++) != 0;
            call.max_seconds = rows->integer(row, column++);
            calls.push_back(std::move(call));
          }
          done(std::move(calls));
        });
}

void InboundStore::turns(const InboundCall& call,
                         Function<void(Result<std::vector<TranscriptTurn>>)> done) const {
  turns_.read(call.call_id, kAttempt, std::move(done));
}

}  // namespace patchbay::ai_voice

#include "conversation/turn_store.h"

#include <utility>

namespace patchbay::ai_voice {

TurnStore::TurnStore(const Host& host)
    : host_(host),
      save_(Statement::find(host, "save_turn")),
      read_(Statement::find(host, "turns")),
      remove_(Statement::find(host, "delete_turns")) {}

void TurnStore::read(const std::string& call_id, int64_t attempt,
                     Function<void(Result<std::vector<TranscriptTurn>>)> done) const {
  query(host_, read_, {call_id, attempt}, [done = std::move(done)](const Result<Rows>& rows) {
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

void TurnStore::save(Transaction& tx, const std::string& call_id, int64_t attempt, int64_t owner_run,
                     const NumberedTurn& turn) const {
  const bool of_ai = turn.turn.speaker == TranscriptTurn::Speaker::ai;
  tx.exec(save_, {call_id, attempt, turn.number, of_ai, turn.turn.text, turn.turn.ts_ms, owner_run}, 1);
}

void TurnStore::remove(Transaction& tx, const std::string& call_id, int64_t attempt) const {
  tx.exec(remove_, {call_id, attempt});
}

}  // namespace patchbay::ai_voice

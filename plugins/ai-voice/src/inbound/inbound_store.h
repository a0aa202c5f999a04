// InboundStore: the running calls to virtual numbers and their turns in the store (`store.sql`), so that a
// call whose process died gets its end and its transcript.
#pragma once

#include <patchbay/function.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <set>
#include <string>
#include <vector>

#include "conversation/transcript_builder.h"
#include "conversation/turn_store.h"
#include "inbound/inbound_call.h"
#include "owner/owner.h"

namespace patchbay::ai_voice {

// Any strand. Callbacks run on the main strand.
class InboundStore {
 public:
  InboundStore(const Host& host, lib::Owner owner);

  const lib::Owner& owner() const noexcept { return owner_; }

  // The following functions add to the transaction.
  // Fails with Code::conflict while the tenant has that many calls at all servers on the database.
  void check_slot(Transaction& tx, const std::string& tenant, int64_t max_calls) const;
  void begin(Transaction& tx, const InboundCall& call) const;
  void set_answered(Transaction& tx, const InboundCall& call) const;
  void set_transferred(Transaction& tx, const InboundCall& call) const;
  // Fails with Code::conflict when the call has ended in the store.
  void save_turn(Transaction& tx, const InboundCall& call, const NumberedTurn& turn) const;
  // Deletes the call and its turns, and emits call.ended if it was answered. Its operation 0 fails with
  // Code::conflict when that was done before.
  void end(Transaction& tx, const InboundCall& call, const InboundEnd& end) const;

  // The ids of the calls that this run owns.
  void owned(Function<void(Result<std::set<std::string>>)> done) const;
  // Calls whose process or run does not exist any more, at most 200.
  void orphans(Function<void(Result<std::vector<InboundCall>>)> done) const;
  void turns(const InboundCall& call, Function<void(Result<std::vector<TranscriptTurn>>)> done) const;

 private:
  const Host& host_;
  const lib::Owner owner_;
  const Statement check_slot_, begin_, answered_, transferred_, end_, owned_, orphans_;
  const TurnStore turns_;
};

}  // namespace patchbay::ai_voice

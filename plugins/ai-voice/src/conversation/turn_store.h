// TurnStore: what was said so far on calls that run, in the store (`ai_voice_turn`), so that the transcript
// survives a crash.
#pragma once

#include <patchbay/function.h>
#include <patchbay/store.h>

#include <string>
#include <vector>

#include "conversation/transcript_builder.h"

namespace patchbay::ai_voice {

// Any strand; the callback runs on the main strand.
class TurnStore {
 public:
  explicit TurnStore(const Host& host);

  // Those of an attempt that have text, in order.
  void read(const std::string& call_id, int64_t attempt,
            Function<void(Result<std::vector<TranscriptTurn>>)> done) const;
  // Fails with Code::conflict unless `owner_run` runs the call, so that no turn outlives it.
  void save(Transaction& tx, const std::string& call_id, int64_t attempt, int64_t owner_run,
            const NumberedTurn& turn) const;
  void remove(Transaction& tx, const std::string& call_id, int64_t attempt) const;

 private:
  const Host& host_;
  const Statement save_, read_, remove_;
};

}  // namespace patchbay::ai_voice

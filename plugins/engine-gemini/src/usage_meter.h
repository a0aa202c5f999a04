// Adds up the tokens of each turn. Servers report them in three ways: one snapshot per turn, several
// snapshots per turn of which the last counts, or a delta per audio chunk.
#pragma once

#include <optional>

#include "engine/engine.h"
#include "server_message.h"

namespace patchbay::engine_gemini {

class UsageMeter {
 public:
  // A report with a prompt count is a snapshot and replaces an earlier one. A report without it is a delta,
  // which counts only if the turn ends without a snapshot.
  void add(const UsageReport& report);

  // Ends the turn (turnComplete, interruption, tool call, close). Returns its tokens, if any were reported.
  std::optional<lib::Usage> end_turn();

 private:
  std::optional<UsageReport> snapshot_;
  UsageReport deltas_;
  bool has_deltas_ = false;
};

}  // namespace patchbay::engine_gemini

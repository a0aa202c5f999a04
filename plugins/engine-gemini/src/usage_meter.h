// What a session costs, from the three shapes in which servers report it: one snapshot per turn, several
// snapshots per turn of which the last counts, or small deltas per audio chunk.
#pragma once

#include <optional>

#include "engine/engine.h"
#include "server_message.h"

namespace patchbay::engine_gemini {

class UsageMeter {
 public:
  // A report with a prompt count is a snapshot of the turn: the last one stands. Without one it is a delta,
  // which counts only if the turn ends without a snapshot.
  void add(const UsageReport& report);

  // The turn ended (turnComplete, interruption, tool call, close): what it cost, if anything was reported.
  std::optional<lib::Usage> end_turn();

 private:
  std::optional<UsageReport> snapshot_;
  UsageReport deltas_;
  bool has_deltas_ = false;
};

}  // namespace patchbay::engine_gemini

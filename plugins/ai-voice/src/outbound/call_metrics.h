// CallMetrics: what the server's metrics tell about outbound calls.
#pragma once

#include <patchbay/log.h>

#include <string>
#include <string_view>

#include "outbound/outcome.h"

namespace patchbay::ai_voice {

// [any]
class CallMetrics {
 public:
  explicit CallMetrics(const Host& host);

  void ended(const Call& call, const Ending& ending) const;
  // From the answer to the first audio of the engine.
  void first_audio(int64_t ms) const { first_audio_.add(static_cast<double>(ms) / 1000); }
  // A call was refused ("backlog") or has to wait ("tenant", "server") because of that limit.
  void limited(std::string_view limit) const;
  void transcript_lost() const { transcripts_lost_.add(); }
  void running(size_t attempts) const { running_.set(static_cast<double>(attempts)); }
  // Calls of that status in the store.
  void open_calls(std::string_view status, int64_t count) const;

 private:
  // borrowed
  const Host& host_;
  // owned
  const Metric running_, first_audio_, transcripts_lost_;
};

}  // namespace patchbay::ai_voice

// CallMetrics: the metrics of calls.
#pragma once

#include <patchbay/log.h>

#include <string>
#include <string_view>

#include "outbound/attempt_end.h"

namespace patchbay::ai_voice {

// [any]
class CallMetrics {
 public:
  explicit CallMetrics(const Host& host);

  void ended(const Call& call, const Ending& ending) const;
  // From the answer to the first audio of the engine.
  void first_audio(int64_t ms) const { first_audio_.add(static_cast<double>(ms) / 1000); }
  // A limit refused a call ("backlog"), makes it wait ("tenant", "server", "rate", "trunk"), or
  // either ("load", "late").
  void limited(std::string_view limit) const;
  void transcript_lost() const { transcripts_lost_.add(); }
  void inbound(size_t calls) const { inbound_.set(static_cast<double>(calls)); }
  // `outcome`: as in call.ended, or "not-answered".
  void inbound_ended(const std::string& outcome) const;
  void running(size_t attempts) const { running_.set(static_cast<double>(attempts)); }
  // The share of the cores that is used, and the one beyond which no call starts (0: any).
  void load(double share, double limit) const {
    load_.set(share);
    load_limit_.set(limit);
  }
  // The share of late ticks, and how long a thread waits for a processor.
  void lateness(double ticks, double wait_ns) const {
    late_ticks_.set(ticks);
    core_wait_.set(wait_ns / 1e9);
  }
  // Sets the number of stored calls with that status.
  void open_calls(std::string_view status, int64_t count) const;

 private:
  // borrowed
  const Host& host_;
  // owned
  const Metric running_, inbound_, load_, load_limit_, late_ticks_, core_wait_, first_audio_,
      transcripts_lost_;
};

}  // namespace patchbay::ai_voice

#include "outbound/call_metrics.h"

#include "outbound/retry_policy.h"

namespace patchbay::ai_voice {

CallMetrics::CallMetrics(const Host& host)
    : host_(host),
      running_(Metric::gauge(host, "patchbay_ai_voice_attempts", "Running call attempts")),
      inbound_(Metric::gauge(host, "patchbay_ai_voice_inbound_calls", "Running calls to virtual numbers")),
      load_(Metric::gauge(host, "patchbay_ai_voice_load",
                          "Share of its cores that the server, with isolated plugins, uses while call "
                          "attempts run")),
      load_limit_(Metric::gauge(host, "patchbay_ai_voice_load_limit",
                                "Share of its cores beyond which no call starts; 0: any")),
      late_ticks_(Metric::gauge(host, "patchbay_ai_voice_late_ticks",
                                "Share of the media loops' ticks that begin 20 ms late or never, smoothed")),
      core_wait_(
          Metric::gauge(host, "patchbay_ai_voice_core_wait_seconds",
                        "How long a thread of the server waits for a processor, on average, smoothed")),
      first_audio_(Metric::seconds(host, "patchbay_ai_voice_first_audio_seconds",
                                   "Time from the answer of a call to the first audio of its engine")),
      transcripts_lost_(Metric::counter(host, "patchbay_ai_voice_transcripts_lost_total",
                                        "Answered calls whose transcript could not be saved")) {}

// One series for each outcome and status; the host returns an existing series again.
void CallMetrics::ended(const Call& call, const Ending& ending) const {
  Metric::counter(host_, "patchbay_ai_voice_outcomes_total", "Ended call attempts by outcome and status",
                  {{"outcome", ending.outcome}, {"status", std::string(status_after(call, ending))}})
      .add();
}

void CallMetrics::inbound_ended(const std::string& outcome) const {
  Metric::counter(host_, "patchbay_ai_voice_inbound_ended_total", "Ended calls to virtual numbers by outcome",
                  {{"outcome", outcome}})
      .add();
}

void CallMetrics::limited(std::string_view limit) const {
  Metric::counter(
      host_, "patchbay_ai_voice_limited_total",
      "Calls refused (backlog, load, late) or delayed (tenant, server, rate, trunk, load, late) by a limit",
      {{"limit", std::string(limit)}})
      .add();
}

void CallMetrics::open_calls(std::string_view status, int64_t count) const {
  Metric::gauge(host_, "patchbay_ai_voice_calls", "Calls that have not ended, by status",
                {{"status", std::string(status)}})
      .set(static_cast<double>(count));
}

}  // namespace patchbay::ai_voice

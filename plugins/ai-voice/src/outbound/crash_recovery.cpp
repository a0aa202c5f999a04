#include "outbound/crash_recovery.h"

#include <algorithm>
#include <utility>

#include "outbound/transcript_document.h"

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kRetryMs = 1000;

}  // namespace

CrashRecovery::CrashRecovery(const Host& host, const CallStore& store, const CallMetrics& metrics)
    : host_(host), store_(store), metrics_(metrics), log_(host), transcripts_(host), retry_timer_(host) {}

void CrashRecovery::read() {
  store_.orphans(alive_.bind([this](const Result<std::vector<Call>>& calls) {
    if (!calls) {
      log_.error("interrupted calls could not be read", {{"why", calls.error().text}});
      return retry_timer_.after_ms(kRetryMs, [this] { read(); });
    }
    failed_ = false;
    pending_ = calls->size();
    for (const Call& call : *calls) recover(call);
  }));
}

void CrashRecovery::recover(Call call) {
  const bool answered = call.answered_ms > 0;
  auto interrupted = std::make_shared<InterruptedCall>(
      InterruptedCall{std::move(call), Ending::technical(answered, "interrupted"), {}, host_.wall_ms()});
  if (!answered) return end_attempt(interrupted, Transaction(host_));
  store_.turns(interrupted->call, alive_.bind([this, interrupted](Result<std::vector<TranscriptTurn>> turns) {
    if (!turns) return end_stored(interrupted, turns.error());
    save(interrupted, std::move(*turns));
  }));
}

void CrashRecovery::save(const CallPtr& interrupted, std::vector<TranscriptTurn> turns) {
  const auto of_ai = [](const TranscriptTurn& turn) { return turn.speaker == TranscriptTurn::Speaker::ai; };
  interrupted->talk.output_turns = std::count_if(turns.begin(), turns.end(), of_ai);
  interrupted->talk.input_turns = static_cast<int64_t>(turns.size()) - interrupted->talk.output_turns;
  Call& call = interrupted->call;
  if (!transcripts_.up()) return end_attempt(interrupted, Transaction(host_));

  call.transcript_path = transcript_file(call);
  auto tx = std::make_shared<Transaction>(host_);
  store_.end_attempt(*tx, call, interrupted->ending, interrupted->talk, interrupted->ended_ms);
  transcripts::Save save;
  save.tx = tx->handle();
  save.document = transcript_document({call,
                                       interrupted->ending,
                                       {},
                                       std::move(turns),
                                       interrupted->talk.input_turns,
                                       interrupted->talk.output_turns,
                                       call.dispatched_ms,
                                       interrupted->ended_ms});
  save.call_id = call.call_id;
  save.attempt = call.attempt;
  save.tenant = call.tenant;
  save.rule = "outbound: " + call.display_name;
  save.correlation = call.call_id;
  transcripts_.call(transcripts::Transcripts::save, save,
                    [this, interrupted, tx](const Result<transcripts::Saved>& saved) {
                      if (saved) return commit(interrupted, std::move(*tx));
                      log_.with(interrupted->call.call_id)
                          .error("the transcript could not be saved", {{"why", saved.error().text}});
                      metrics_.transcript_lost();
                      interrupted->call.transcript_path.clear();
                      end_attempt(interrupted, Transaction(host_));
                    });
}

void CrashRecovery::end_attempt(const CallPtr& interrupted, Transaction tx) {
  store_.end_attempt(tx, interrupted->call, interrupted->ending, interrupted->talk, interrupted->ended_ms);
  commit(interrupted, std::move(tx));
}

void CrashRecovery::commit(const CallPtr& interrupted, Transaction tx) {
  std::move(tx).commit(alive_.bind([this, interrupted](const Commit& outcome) {
    end_stored(interrupted, outcome ? Status() : Status(outcome.error()));
  }));
}

void CrashRecovery::end_stored(const CallPtr& interrupted, const Status& status) {
  const std::string& call_id = interrupted->call.call_id;
  if (status) {
    metrics_.ended(interrupted->call, interrupted->ending);
    log_.with(call_id).warn("the call was interrupted by a crash of the server or of this plugin");
  } else {
    failed_ = true;
    log_.with(call_id).error("an interrupted call could not be ended", {{"why", status.error().text}});
  }
  if (--pending_ > 0) return;
  if (failed_) return retry_timer_.after_ms(kRetryMs, [this] { read(); });
  read();  // the next batch, if any
}

}  // namespace patchbay::ai_voice

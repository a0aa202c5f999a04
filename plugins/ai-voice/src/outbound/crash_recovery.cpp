#include "outbound/crash_recovery.h"

#include <algorithm>
#include <utility>

#include "outbound/transcript_document.h"

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kAgainMs = 1000;

}  // namespace

Recovery::Recovery(const Host& host, const CallStore& store, const CallMetrics& metrics)
    : host_(host), store_(store), metrics_(metrics), log_(host), transcripts_(host), again_(host) {}

void Recovery::read() {
  store_.orphans(host_.store->epoch(host_.self), alive_.bind([this](const Result<std::vector<Call>>& calls) {
    if (!calls) {
      log_.error("interrupted calls could not be read", {{"why", calls.error().text}});
      return again_.after_ms(kAgainMs, [this] { read(); });
    }
    failed_ = false;
    under_way_ = calls->size();
    for (const Call& call : *calls) recover(call);
  }));
}

void Recovery::recover(Call call) {
  const bool answered = call.answered_ms > 0;
  auto one = std::make_shared<Case>(
      Case{std::move(call), Ending::technical(answered, "interrupted"), {}, host_.wall_ms()});
  if (!answered) return finish(one, Transaction(host_));
  store_.turns(one->call, alive_.bind([this, one](Result<std::vector<TranscriptTurn>> turns) {
    if (!turns) return ended(one, turns.error());
    save(one, std::move(*turns));
  }));
}

void Recovery::save(const CasePtr& one, std::vector<TranscriptTurn> turns) {
  const auto of_ai = [](const TranscriptTurn& turn) { return turn.speaker == TranscriptTurn::Speaker::ai; };
  one->talk.output_turns = std::count_if(turns.begin(), turns.end(), of_ai);
  one->talk.input_turns = static_cast<int64_t>(turns.size()) - one->talk.output_turns;
  Call& call = one->call;
  if (!transcripts_.up()) return finish(one, Transaction(host_));

  call.transcript_path = transcript_file(call);
  auto tx = std::make_shared<Transaction>(host_);
  store_.finish(*tx, call, one->ending, one->talk, one->ended_ms);
  transcripts::Save save;
  save.tx = tx->handle();
  save.document = transcript_document({call,
                                       one->ending,
                                       {},
                                       std::move(turns),
                                       one->talk.input_turns,
                                       one->talk.output_turns,
                                       call.dispatched_ms,
                                       one->ended_ms});
  save.call_id = call.call_id;
  save.attempt = call.attempt;
  save.tenant = call.tenant;
  save.rule = "outbound: " + call.display_name;
  save.correlation = call.call_id;
  transcripts_.call(transcripts::Transcripts::save, save,
                    [this, one, tx](const Result<transcripts::Saved>& saved) {
                      if (saved) return commit(one, std::move(*tx));
                      log_.with(one->call.call_id)
                          .error("the transcript could not be saved", {{"why", saved.error().text}});
                      metrics_.transcript_lost();
                      one->call.transcript_path.clear();
                      finish(one, Transaction(host_));
                    });
}

void Recovery::finish(const CasePtr& one, Transaction tx) {
  store_.finish(tx, one->call, one->ending, one->talk, one->ended_ms);
  commit(one, std::move(tx));
}

void Recovery::commit(const CasePtr& one, Transaction tx) {
  std::move(tx).commit(alive_.bind(
      [this, one](const Commit& outcome) { ended(one, outcome ? Status() : Status(outcome.error())); }));
}

void Recovery::ended(const CasePtr& one, const Status& status) {
  const std::string& call_id = one->call.call_id;
  if (status) {
    metrics_.ended(one->call, one->ending);
    log_.with(call_id).warn("the call was interrupted by the end of the last process");
  } else {
    failed_ = true;
    log_.with(call_id).error("an interrupted call could not be ended", {{"why", status.error().text}});
  }
  if (--under_way_ > 0) return;
  if (failed_) return again_.after_ms(kAgainMs, [this] { read(); });
  read();  // the next of them, if there are more
}

}  // namespace patchbay::ai_voice

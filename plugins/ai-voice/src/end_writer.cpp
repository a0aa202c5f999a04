#include "end_writer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "commit_failure.h"
#include "outbound/limits.h"

namespace patchbay::ai_voice {
namespace {

// True if the plugin that failed may succeed later, because it restarts or is overloaded.
bool may_recover(Code code) {
  return code == Code::gone || code == Code::unavailable || code == Code::exhausted;
}

}  // namespace

EndWriter::EndWriter(const Host& host, const CallMetrics& metrics)
    : host_(host), metrics_(metrics), log_(host), transcripts_(host) {
  transcripts_.on_change([this](bool up) { transcripts_seen_ |= up; });
}

void EndWriter::write(CallEnd end, Function<void(const Status&)> done) {
  const uint64_t id = ++last_id_;
  writes_.try_emplace(id, host_, std::move(end), std::move(done),
                      host_.mono_ns() + kMaxTranscriptWaitMs * 1'000'000);
  store_end(id);
}

void EndWriter::store_end(uint64_t id) {
  Write& write = writes_.at(id);
  if (write.end.document.empty()) return commit(id, write.end.transaction(false));
  if (!transcripts_.up()) return on_transcript_failed(id, {Code::unavailable, "no transcripts plugin runs"});
  save_transcript(id);
}

void EndWriter::save_transcript(uint64_t id) {
  const CallEnd& end = writes_.at(id).end;
  const auto tx = std::make_shared<Transaction>(end.transaction(true));
  transcripts::Save save;
  save.tx = tx->handle();
  save.document = end.document;
  save.call_id = end.call_id;
  save.attempt = end.attempt;
  save.tenant = end.tenant;
  save.rule = end.rule;
  save.correlation = end.call_id;
  transcripts_.call(transcripts::Transcripts::save, save,
                    [this, id, tx](const Result<transcripts::Saved>& saved) {
                      if (saved) return commit(id, std::move(*tx));
                      on_transcript_failed(id, saved.error());
                    });
}

void EndWriter::on_transcript_failed(uint64_t id, const Error& error) {
  Write& write = writes_.at(id);
  const bool is_expected = transcripts_seen_ || write.end.after_restart;
  const bool may_wait = !stopping_ && host_.mono_ns() < write.transcript_deadline_ns;
  if (is_expected && may_wait && may_recover(error.code)) return retry_after_ms(id, kTranscriptRetryMs);
  if (is_expected)
    drop_transcript(write, error.text);
  else
    write.end.document.clear();  // this server saves no transcripts
  store_end(id);
}

void EndWriter::drop_transcript(Write& write, const std::string& reason) {
  log_.with(write.end.call_id).error("the transcript could not be saved", {{"why", reason}});
  metrics_.transcript_lost();
  write.end.document.clear();
}

void EndWriter::commit(uint64_t id, Transaction tx) {
  std::move(tx).commit(alive_.bind([this, id](const Commit& outcome) {
    if (outcome) return finish(id, {});
    on_commit_failed(id, outcome);
  }));
}

void EndWriter::on_commit_failed(uint64_t id, const Commit& outcome) {
  Write& write = writes_.at(id);
  const Error error = outcome.error();
  if (error.code == Code::conflict && outcome.failed_operation() == write.end.end_operation)
    return finish(id, Error{Code::fenced, "the call has been ended already"});
  log_.with(write.end.call_id).error("the end of the call could not be stored", {{"why", error.text}});
  if (is_transient_failure(error.code)) return retry_with_backoff(id);
  if (!write.end.document.empty()) {
    // An operation of the transcripts plugin may be the cause, and must not keep the call from ending.
    drop_transcript(write, error.text);
    return store_end(id);
  }
  if (error.code == Code::timeout || error.code == Code::failed) return retry_with_backoff(id);
  finish(id, error);
}

void EndWriter::retry_with_backoff(uint64_t id) {
  Write& write = writes_.at(id);
  write.pause_ms = std::clamp(2 * write.pause_ms, kMinCommitPauseMs, kMaxCommitPauseMs);
  retry_after_ms(id, write.pause_ms);
}

void EndWriter::retry_after_ms(uint64_t id, int64_t pause_ms) {
  writes_.at(id).retry.after_ms(pause_ms, [this, id] { store_end(id); });
}

void EndWriter::finish(uint64_t id, const Status& status) {
  const Function<void(const Status&)> done = std::move(writes_.at(id).done);
  writes_.erase(id);
  done(status);
}

}  // namespace patchbay::ai_voice

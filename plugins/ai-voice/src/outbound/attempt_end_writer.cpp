#include "outbound/attempt_end_writer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "outbound/limits.h"
#include "outbound/transcript_document.h"

namespace patchbay::ai_voice {
namespace {

// True if the plugin that failed may succeed later, because it restarts or is overloaded.
bool may_recover(Code code) {
  return code == Code::gone || code == Code::unavailable || code == Code::exhausted;
}

// True if the same transaction may succeed later, for example because the disk is full at the moment.
bool is_transient(Code code) { return code == Code::unavailable || code == Code::exhausted; }

}  // namespace

AttemptEndWriter::AttemptEndWriter(const Host& host, const CallStore& store, const CallMetrics& metrics)
    : host_(host), store_(store), metrics_(metrics), log_(host), transcripts_(host) {
  transcripts_.on_change([this](bool up) { transcripts_seen_ |= up; });
}

void AttemptEndWriter::write(EndedAttempt attempt, Function<void(const Status&)> done) {
  const uint64_t id = ++last_id_;
  writes_.try_emplace(id, host_, std::move(attempt), std::move(done),
                      host_.mono_ns() + kMaxTranscriptWaitMs * 1'000'000);
  store_end(id);
}

void AttemptEndWriter::store_end(uint64_t id) {
  Write& write = writes_.at(id);
  if (write.attempt.document.empty()) return commit(id, end_transaction(write.attempt));
  if (!transcripts_.up()) return on_transcript_failed(id, {Code::unavailable, "no transcripts plugin runs"});
  save_transcript(id);
}

Transaction AttemptEndWriter::end_transaction(const EndedAttempt& attempt) const {
  Transaction tx(host_);
  store_.end_attempt(tx, attempt.call, attempt.ending, attempt.turn_counts, attempt.ended_ms);
  return tx;
}

void AttemptEndWriter::save_transcript(uint64_t id) {
  EndedAttempt& attempt = writes_.at(id).attempt;
  attempt.call.transcript_path = transcript_file(attempt.call);
  const auto tx = std::make_shared<Transaction>(end_transaction(attempt));
  transcripts::Save save;
  save.tx = tx->handle();
  save.document = attempt.document;
  save.call_id = attempt.call.call_id;
  save.attempt = attempt.call.attempt;
  save.tenant = attempt.call.tenant;
  save.rule = "outbound: " + attempt.call.display_name;
  save.correlation = attempt.call.call_id;
  transcripts_.call(transcripts::Transcripts::save, save,
                    [this, id, tx](const Result<transcripts::Saved>& saved) {
                      if (saved) return commit(id, std::move(*tx));
                      on_transcript_failed(id, saved.error());
                    });
}

void AttemptEndWriter::on_transcript_failed(uint64_t id, const Error& error) {
  Write& write = writes_.at(id);
  const bool is_expected = transcripts_seen_ || write.attempt.after_restart;
  const bool may_wait = !stopping_ && host_.mono_ns() < write.transcript_deadline_ns;
  if (is_expected && may_wait && may_recover(error.code)) return retry_after_ms(id, kTranscriptRetryMs);
  if (is_expected)
    drop_transcript(write, error.text);
  else
    write.attempt.document.clear();  // this server saves no transcripts
  store_end(id);
}

void AttemptEndWriter::drop_transcript(Write& write, const std::string& reason) {
  log_.with(write.attempt.call.call_id).error("the transcript could not be saved", {{"why", reason}});
  metrics_.transcript_lost();
  write.attempt.document.clear();
  write.attempt.call.transcript_path.clear();
}

void AttemptEndWriter::commit(uint64_t id, Transaction tx) {
  std::move(tx).commit(alive_.bind([this, id](const Commit& outcome) {
    if (outcome) return finish(id, {});
    on_commit_failed(id, outcome);
  }));
}

void AttemptEndWriter::on_commit_failed(uint64_t id, const Commit& outcome) {
  Write& write = writes_.at(id);
  const Error error = outcome.error();
  if (error.code == Code::conflict && outcome.failed_operation() == CallStore::kEndOperation)
    return finish(id, Error{Code::fenced, "the attempt has been ended already"});
  log_.with(write.attempt.call.call_id)
      .error("the end of the attempt could not be stored", {{"why", error.text}});
  if (is_transient(error.code)) return retry_with_backoff(id);
  if (!write.attempt.document.empty()) {
    // An operation of the transcripts plugin may be the cause, and must not keep the call from ending.
    drop_transcript(write, error.text);
    return store_end(id);
  }
  if (error.code == Code::timeout || error.code == Code::failed) return retry_with_backoff(id);
  finish(id, error);
}

void AttemptEndWriter::retry_with_backoff(uint64_t id) {
  Write& write = writes_.at(id);
  write.pause_ms = std::clamp(2 * write.pause_ms, kMinCommitPauseMs, kMaxCommitPauseMs);
  retry_after_ms(id, write.pause_ms);
}

void AttemptEndWriter::retry_after_ms(uint64_t id, int64_t pause_ms) {
  writes_.at(id).retry.after_ms(pause_ms, [this, id] { store_end(id); });
}

void AttemptEndWriter::finish(uint64_t id, const Status& status) {
  const Function<void(const Status&)> done = std::move(writes_.at(id).done);
  writes_.erase(id);
  done(status);
}

}  // namespace patchbay::ai_voice

// EndWriter: stores the ends of calls: what the call's owner stores, its event and the transcript, in one
// transaction.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/service.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "outbound/call_metrics.h"

namespace patchbay::ai_voice {

struct CallEnd {
  std::string call_id;
  int64_t attempt = 1;
  std::string tenant;
  std::string rule;            // of the transcript
  std::string document;        // the transcript; "": none is saved
  bool after_restart = false;  // the call was begun by an earlier run of the plugin
  // Makes the transaction that stores the end, with its event. May be called several times. `has_transcript`:
  // transcript.saved is added to it.
  Function<Transaction(bool has_transcript)> transaction;
  // Its operation that fails with Code::conflict when the end is stored already.
  int32_t end_operation = 0;
};

// Main strand only.
class EndWriter {
 public:
  EndWriter(const Host& host, const CallMetrics& metrics);

  // Calls done() once: with success when the end is stored; with Code::fenced when another server or an
  // earlier try has ended the call already; with another error when the store is closed. Waits for a
  // transcripts plugin that restarts; if it stays away or fails, stores the end without the transcript and
  // counts that.
  void write(CallEnd end, Function<void(const Status&)> done);
  // Does not wait for the transcripts plugin any more, because the server stops.
  void stop_waiting() { stopping_ = true; }

 private:
  struct Write {
    Write(const Host& host, CallEnd call_end, Function<void(const Status&)> callback, int64_t deadline_ns)
        : end(std::move(call_end)),
          done(std::move(callback)),
          transcript_deadline_ns(deadline_ns),
          retry(host) {}
    CallEnd end;
    Function<void(const Status&)> done;
    int64_t transcript_deadline_ns;
    int64_t pause_ms = 0;  // before the last retry
    Timer retry;
  };

  void store_end(uint64_t id);
  void save_transcript(uint64_t id);
  void commit(uint64_t id, Transaction tx);
  void on_transcript_failed(uint64_t id, const Error& error);
  void on_commit_failed(uint64_t id, const Commit& outcome);
  void drop_transcript(Write& write, const std::string& reason);
  void retry_after_ms(uint64_t id, int64_t pause_ms);
  void retry_with_backoff(uint64_t id);
  void finish(uint64_t id, const Status& status);

  // borrowed
  const Host& host_;
  const CallMetrics& metrics_;
  // owned
  const Log log_;
  Service<transcripts::Transcripts> transcripts_;
  // state
  std::map<uint64_t, Write> writes_;  // by a number of their own
  uint64_t last_id_ = 0;
  bool transcripts_seen_ = false;  // a provider has existed since the start
  bool stopping_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice

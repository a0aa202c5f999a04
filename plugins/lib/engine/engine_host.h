// EngineHost: registers an engine (engine.h) with the host, like any plugin's engine
// (patchbay/services/voice_engine.h), detects when a thread of it is stuck, and exports its counters.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/plugin.h>
#include <patchbay/services/voice_engine.h>
#include <patchbay/strand.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/session_threads.h"
#include "websocket/callback_gate.h"
#include "websocket/io_threads.h"

namespace patchbay::lib {

class EngineSession;

// Main strand only.
class EngineHost {
 public:
  // `io`: the threads of this engine's sessions; serve no other engine. `models`: prefixes, separated by
  // spaces.
  EngineHost(const Host& host, IoThreads& io, std::unique_ptr<Engine> engine, std::string models,
             bool key_required, StallLimits limits = {});
  ~EngineHost();

  // The engine's service instance; a lease of it opens sessions.
  Handle handle() { return service_.handle(); }
  // Closes the sessions. Calls done() when none is left; then this object may be destroyed. done(true): the
  // threads have run all their tasks. done(false): a thread is stuck and may resume at any time, so the
  // engine is leaked, and the caller must neither destroy the threads nor unload this code.
  void stop(Function<void(bool threads_respond)> done);

 private:
  struct Entry {
    std::unique_ptr<EngineSession> session;
    size_t thread = 0;
  };
  // The engine's counters at the last export.
  struct Exported {
    int64_t dropped_ms = 0;
    int64_t reply_dropped_ms = 0;
    int64_t reconnects = 0;
    int64_t unsaid = 0;
  };

  Result<engine::Opened> open(const engine::Open& request);
  void on_session_ended(int64_t id);
  void drain_threads();
  void on_thread_drained();
  void fail_sessions(std::optional<size_t> thread = {});
  void complete_stop(bool threads_respond);
  void poll();
  void check_threads();
  void export_stats();

  // borrowed
  const Host& host_;
  IoThreads& io_;
  // owned
  const Log log_;
  std::unique_ptr<Engine> engine_;
  const StallLimits limits_;
  engine::VoiceEngine service_;
  std::map<int64_t, Entry> sessions_;
  SessionThreads threads_;
  Timer timer_;
  Timer stop_limit_;
  const Metric sessions_metric_, dropped_, reply_dropped_, queued_, reconnects_, unsaid_, stalls_, lag_;
  // state
  int64_t last_id_ = 0;
  Exported exported_;
  bool draining_ = false;  // the last task has been posted to each thread
  size_t undrained_ = 0;   // threads that have not run it
  Function<void(bool)> stop_done_;
  std::shared_ptr<CallbackGate> drained_;  // shared with those tasks
  Lifetime alive_;
};

}  // namespace patchbay::lib

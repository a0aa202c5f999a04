// EngineHost: registers an engine (engine.h) with the host, like any plugin's engine
// (patchbay/services/voice_engine.h), detects when its thread is stuck, and exports its counters.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/plugin.h>
#include <patchbay/services/voice_engine.h>
#include <patchbay/strand.h>

#include <map>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/limits.h"
#include "websocket/callback_gate.h"
#include "websocket/io_thread.h"

namespace patchbay::lib {

class EngineSession;

// How long the engine's thread may be stuck in a task; shorter only in tests.
struct StallLimits {
  int64_t poll_ms = kThreadPollMs;
  int64_t stall_ms = kThreadStallMs;
  int64_t give_up_ms = kThreadGiveUpMs;
  int64_t stop_ms = kThreadStopMs;
};

// Main strand only.
class EngineHost {
 public:
  // `io`: the thread of this engine's sessions; serves no other engine. `models`: prefixes, separated by
  // spaces.
  EngineHost(const Host& host, IoThread& io, std::unique_ptr<Engine> engine, std::string models,
             bool key_required, StallLimits limits = {});
  ~EngineHost();

  // The engine's service instance; a lease of it opens sessions.
  Handle handle() { return service_.handle(); }
  // Closes the sessions. Calls done() when none is left; then this object may be destroyed. done(true): the
  // thread has run all its tasks. done(false): the thread is stuck and may resume at any time, so the engine
  // is leaked, and the caller must neither destroy the thread nor unload this code.
  void stop(Function<void(bool thread_responds)> done);

 private:
  // The engine's counters at the last export.
  struct Exported {
    int64_t dropped_ms = 0;
    int64_t reply_dropped_ms = 0;
    int64_t reconnects = 0;
    int64_t unsaid = 0;
  };

  Result<engine::Opened> open(const engine::Open& request);
  void on_session_ended(int64_t id);
  void drain_thread();
  void fail_sessions();
  void complete_stop(bool thread_responds);
  void poll();
  void check_thread();
  void export_stats();

  // borrowed
  const Host& host_;
  IoThread& io_;
  // owned
  const Log log_;
  std::unique_ptr<Engine> engine_;
  const StallLimits limits_;
  engine::VoiceEngine service_;
  std::map<int64_t, std::unique_ptr<EngineSession>> sessions_;
  IoWatch thread_watch_;
  Timer timer_;
  Timer stop_limit_;
  const Metric sessions_metric_, dropped_, reply_dropped_, queued_, reconnects_, unsaid_, stalls_, lag_;
  // state
  int64_t last_id_ = 0;
  int64_t stalled_ms_ = 0;  // how long the thread has been stuck; 0: it responds
  bool stall_reported_ = false;
  Exported exported_;
  bool draining_ = false;  // the last task has been posted to the thread
  Function<void(bool)> stop_done_;
  std::shared_ptr<CallbackGate> drained_;  // shared with that task
  Lifetime alive_;
};

}  // namespace patchbay::lib

// EngineHost: makes an engine (engine.h) known to the host as an engine of any plugin is
// (patchbay/services/voice_engine.h), watches its thread and exports its counters.
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
#include "websocket/callback_gate.h"
#include "websocket/io_thread.h"

namespace patchbay::lib {

class EngineSession;

// What becomes of an engine whose thread does not come back from a task.
struct StallLimits {
  int64_t look_ms = 1000;      // between two looks at the thread
  int64_t stall_ms = 5000;     // then it is reported, and opens no more sessions
  int64_t give_up_ms = 15000;  // then its sessions are ended without it
  int64_t stop_ms = 5000;      // how long stop() waits for it
};

// Main strand only.
class EngineHost {
 public:
  // `io`: the thread of this engine's sessions, and of no other engine's. `models`: prefixes, separated by
  // spaces.
  EngineHost(const Host& host, IoThread& io, std::unique_ptr<Engine> engine, std::string models,
             bool key_required, StallLimits limits = {});
  ~EngineHost();

  // The engine's instance: a lease of it can open sessions.
  Handle handle() { return service_.handle(); }
  // Closes what is open; done() when no session is left: then it may be destroyed. done(true): the thread has
  // run all that it was sent. done(false): it is stuck, and may come back at any time: the engine is leaked,
  // and the caller must neither destroy the thread nor unload this code.
  void stop(Function<void(bool)> done);

 private:
  // The counters of the engine as they were exported last.
  struct Exported {
    int64_t dropped_ms = 0;
    int64_t reply_dropped_ms = 0;
    int64_t reconnects = 0;
    int64_t unsaid = 0;
  };

  Result<engine::Opened> open(const engine::Open& request);
  void ended(int64_t id);
  void drain_thread();
  void give_up_sessions();
  void stopped(bool thread_works);
  void watch();
  void watch_thread();
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
  int64_t stuck_ms_ = 0;  // how long the thread has not come back, 0: it works
  bool stall_reported_ = false;
  Exported exported_;
  bool draining_ = false;  // the last task has been sent to the thread
  Function<void(bool)> stopped_;
  std::shared_ptr<CallbackGate> drained_;  // shared with that task
  Lifetime alive_;
};

}  // namespace patchbay::lib

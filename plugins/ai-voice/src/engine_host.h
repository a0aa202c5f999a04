// EngineHost: offers one of our own engines (engine.h) to the conversations, the way any plugin's engine is
// offered (patchbay/services/engine.h), watches its thread and exports its counters.
#pragma once

#include <patchbay/log.h>
#include <patchbay/plugin.h>
#include <patchbay/services/engine.h>
#include <patchbay/strand.h>

#include <map>
#include <memory>
#include <string>

#include "engine.h"
#include "websocket/io_thread.h"

namespace patchbay::ai_voice {

class EngineSession;

// Main strand only.
class EngineHost {
 public:
  // `io`: the thread of this engine's sessions, and of no other engine's. `models`: prefixes, separated by
  // spaces.
  EngineHost(const Host& host, lib::IoThread& io, std::unique_ptr<Engine> engine, std::string models,
             bool key_required);
  ~EngineHost();

  engine::AddEngine registration();
  // Closes what is open; done() when no session is left: then it may be destroyed.
  void stop(Function<void()> done);

 private:
  // The counters of the engine as they were exported last.
  struct Exported {
    int64_t dropped_ms = 0;
    int64_t reply_dropped_ms = 0;
    int64_t reconnects = 0;
  };

  Result<engine::Opened> open(const engine::Open& request);
  void ended(int64_t id);
  void watch();
  void watch_thread();
  void export_stats();

  // borrowed
  const Host& host_;
  // owned
  const Log log_;
  const std::unique_ptr<Engine> engine_;
  const std::string models_;
  const bool key_required_;
  Provision<engine::Engine> service_;
  std::map<int64_t, std::unique_ptr<EngineSession>> sessions_;
  lib::IoWatch io_;
  Timer timer_;
  const Metric sessions_metric_, dropped_, reply_dropped_, queued_, reconnects_, stalls_, lag_;
  // state
  int64_t last_id_ = 0;
  int64_t stuck_ms_ = 0;  // how long the thread has not come back, 0: it works
  bool stall_reported_ = false;
  Exported exported_;
  Function<void()> stopped_;
};

}  // namespace patchbay::ai_voice

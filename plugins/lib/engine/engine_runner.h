// EngineRunner: owns a plugin's engine and its threads, from the plugin's start to its stop.
#pragma once

#include <patchbay/plugin.h>

#include <memory>
#include <string>

#include "engine/engine_host.h"

namespace patchbay::lib {

// Main strand only.
class EngineRunner {
 public:
  // Starts a thread and registers the engine that make(IoThreads&) returns. `models`: prefixes, separated by
  // spaces.
  template <class F>
  EngineRunner(const Host& host, const std::string& thread, const char* models, bool key_required, F make)
      : io_(std::make_unique<IoThreads>(thread)),
        host_(std::make_unique<EngineHost>(host, *io_, make(*io_), models, key_required)) {}

  // Closes the sessions, then completes. Error timeout: a thread is stuck; then the threads, their engine
  // and this code stay loaded until the process ends, because the thread may resume in them at any time.
  void stop(Done done);

 private:
  std::unique_ptr<IoThreads> io_;  // first: the engine uses it
  std::unique_ptr<EngineHost> host_;
};

}  // namespace patchbay::lib

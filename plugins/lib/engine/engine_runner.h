// EngineRunner: the engine of one plugin with its thread, from start to stop.
#pragma once

#include <patchbay/plugin.h>

#include <memory>
#include <string>

#include "engine/engine_host.h"

namespace patchbay::lib {

// Main strand only.
class EngineRunner {
 public:
  // Starts the thread and makes the engine known. make(IoThread&) returns the engine. `models`: prefixes,
  // separated by spaces.
  template <class F>
  EngineRunner(const Host& host, const std::string& thread, const char* models, bool key_required, F make)
      : io_(std::make_unique<IoThread>(thread)),
        host_(std::make_unique<EngineHost>(host, *io_, make(*io_), models, key_required)) {}

  // Ends the sessions and answers. Error timeout: the thread is stuck; then it, its engine and this code stay
  // until the process ends, because the thread may come back into them at any time.
  void stop(Done done);

 private:
  std::unique_ptr<IoThread> io_;  // first: the engine uses it
  std::unique_ptr<EngineHost> host_;
};

}  // namespace patchbay::lib

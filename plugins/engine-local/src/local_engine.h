// The engine `local`: recognises speech with pocketsphinx and speaks with flite, without network or key.
// English only.
#pragma once

#include <chrono>
#include <memory>

#include "engine/engine.h"
#include "options.h"
#include "recogniser.h"
#include "synthesiser.h"
#include "websocket/io_threads.h"

namespace patchbay::engine_local {

class LocalEngine final : public lib::Engine {
 public:
  // `io`: borrowed; the threads that open() is given. The first session loads the models, and is ready when
  // they are loaded. They are released when there was no session for a while.
  LocalEngine(lib::IoThreads& io, Options options);
  ~LocalEngine() override;

  const char* name() const override { return "local"; }
  bool matches(std::string_view model) const override;  // "local", "local-…", "embedded"
  Result<std::unique_ptr<lib::Session>> open(lib::IoThread& io, lib::SessionConfig config,
                                             lib::SessionListener& listener) override;
  // [any] See Recogniser.
  void set_unload_after(std::chrono::milliseconds time) { recogniser_.set_unload_after(time); }

 private:
  lib::IoThreads& io_;
  const Options options_;
  Recogniser recogniser_;
  Synthesiser synthesiser_;
};

}  // namespace patchbay::engine_local

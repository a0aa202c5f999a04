// The engine `local`: recognises speech with pocketsphinx and speaks with flite, without network or key.
// English only.
#pragma once

#include <memory>

#include "engine/engine.h"
#include "options.h"
#include "recogniser.h"
#include "synthesiser.h"
#include "websocket/io_thread.h"

namespace patchbay::engine_local {

class LocalEngine final : public lib::Engine {
 public:
  // Borrows the thread. All sessions run on it and call their listeners on it. The first session loads the
  // models, and is ready when they are loaded.
  LocalEngine(lib::IoThread& io, Options options);
  ~LocalEngine() override;

  const char* name() const override { return "local"; }
  bool matches(std::string_view model) const override;  // "local", "local-…", "embedded"
  Result<std::unique_ptr<lib::Session>> open(lib::SessionConfig config,
                                             lib::SessionListener& listener) override;

 private:
  lib::IoThread& io_;
  const Options options_;
  Recogniser recogniser_;
  Synthesiser synthesiser_;
};

}  // namespace patchbay::engine_local

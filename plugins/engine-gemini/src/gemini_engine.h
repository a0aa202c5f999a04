// The engine `gemini-live`: Google's Gemini Live API over one WebSocket per call.
#pragma once

#include "engine.h"
#include "gemini/options.h"
#include "websocket/io_thread.h"

namespace patchbay::ai_voice::gemini {

class GeminiEngine final : public Engine {
 public:
  // Borrows the thread, on which all its sessions run and call their listeners.
  GeminiEngine(lib::IoThread& io, Options options) : io_(io), options_(std::move(options)) {}

  const char* name() const override { return "gemini-live"; }
  bool matches(std::string_view model) const override;
  Result<std::unique_ptr<Session>> open(SessionConfig config, SessionListener& listener) override;

 private:
  lib::IoThread& io_;
  const Options options_;
};

}  // namespace patchbay::ai_voice::gemini
